"""The parts that screens are made of; their keys and looks stand beside them."""
