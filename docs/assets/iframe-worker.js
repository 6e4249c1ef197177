// Lets the search of the site work from the disk: a browser starts no worker from a file, so this
// runs the worker's script in a hidden frame, which answers the same calls. From a server it does
// nothing.
;(() => {
  if (location.protocol !== "file:") return

  class FrameWorker extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      const base = new URL(url, location.href)
      let waiting = []
      // What the script would do in a worker: post to whoever started it, and load more scripts.
      inside.postMessage = (data) => setTimeout(() => this.#tell(data))
      inside.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => this.#load(new URL(one, base))), Promise.resolve())
      this.#frame = frame
      this.postMessage = (data) =>
        waiting ? waiting.push(data) : inside.dispatchEvent(new MessageEvent("message", { data }))
      this.#load(base).then(() => {
        const kept = waiting
        waiting = null
        kept.forEach((data) => this.postMessage(data))
      })
    }

    #frame
    onmessage = null
    onerror = null

    terminate() {
      this.#frame.remove()
    }

    #tell(data) {
      const event = new MessageEvent("message", { data })
      this.dispatchEvent(event)
      this.onmessage?.(event)
    }

    #load(url) {
      return new Promise((resolve, reject) => {
        const script = this.#frame.contentDocument.createElement("script")
        script.src = url
        script.onload = resolve
        script.onerror = reject
        this.#frame.contentDocument.body.append(script)
      })
    }
  }

  window.Worker = FrameWorker
})()
