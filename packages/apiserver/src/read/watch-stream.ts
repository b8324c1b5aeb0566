import { type JsonObject, parseJson } from '@wherry/cel/internal'
import type { Clock, Timer } from '../clock.ts'
import type { FaultEffect } from '../faults/fault-rule.ts'
import {
  atResourceVersion,
  fromLatin1,
  goJson,
  metadataText,
  toLatin1,
  withHead,
  withoutManagedFields,
} from '../objects/stored.ts'
import { protobufCodec } from '../protobuf/loaded.ts'
import { type Selection, selects } from '../requests/list-options.ts'
import type { Representation } from '../requests/representation.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { viewOf } from '../resources/view.ts'
import type { Responder } from '../responder.ts'
import type { Status } from '../status.ts'
import { StatusError } from '../status.ts'
import type { Observer } from '../store/collection.ts'
import type { ChangeType, Version } from '../store/version.ts'
import { ChunkWriter } from './chunk-writer.ts'
import type { Flusher } from './flusher.ts'
import { emptyCells, type TableOptions, tableOf } from './table.ts'

/** A waiting event: a change, or a finished line. */
type Pending =
  | { readonly type: ChangeType; readonly version: Version }
  | { readonly line: string }
  | { readonly end: true }

/** The maximum number of pending events. A watch that lags by more is closed, as by a real server. */
const maxPending = 1_000_000

/** The parts of a watch stream. */
export interface WatchStreamOptions {
  readonly responder: Responder
  readonly type: ResourceType
  readonly selection: Selection
  readonly representation: Representation
  readonly clock: Clock
  readonly flusher: Flusher
  readonly effects: readonly FaultEffect[]
  /** The resourceVersion up to which no events are sent, for a watch that starts ahead of the server. */
  readonly after: number
  /** The part of the object that a Table's rows contain in addition to their cells. */
  readonly include: TableOptions['include']
}

/** A watch: turns changes into lines, and sends them as fast as the client reads them. */
export class WatchStream implements Observer {
  readonly type: ResourceType
  readonly #selection: Selection
  readonly #as: Representation['as']
  readonly #lean: boolean
  readonly #protobuf: boolean
  readonly #clock: Clock
  readonly #flusher: Flusher
  readonly #writer: ChunkWriter
  readonly #after: number
  readonly #include: TableOptions['include']
  readonly #copies: number
  readonly #injections: { at: number; line: string; end: boolean }[]
  readonly #onEnd: (() => void)[] = []
  readonly #timers: Timer[] = []
  #pending: Pending[] = []
  #next = 0
  #events = 0
  #firstTable = true
  #converting = false
  #over = false

  constructor(options: WatchStreamOptions) {
    this.type = options.type
    this.#selection = options.selection
    this.#as = options.representation.as
    this.#lean = options.representation.lean ?? false
    this.#protobuf = options.representation.protobuf ?? false
    this.#clock = options.clock
    this.#flusher = options.flusher
    this.#after = options.after
    this.#include = options.include
    this.#copies =
      options.effects.find(effect => effect.kind === 'duplicate')?.times ??
      (options.effects.some(effect => effect.kind === 'duplicate') ? 2 : 1)
    this.#injections = injectionsOf(options.effects, this.#protobuf)
    this.#writer = new ChunkWriter(options.responder)
    this.#writer.onReady(() => this.flush())
    options.responder.onClose(() => this.#finish())
  }

  /** Whether the watch has ended. */
  get over(): boolean {
    return this.#over
  }

  /** Adds a listener that is called once when the watch is over. */
  onEnd(fn: () => void): void {
    this.#onEnd.push(fn)
  }

  /** Calls `fn` after `ms` milliseconds, unless the watch is over by then. */
  after(ms: number, fn: () => void): void {
    this.#timers.push(this.#clock.timer(ms, fn))
  }

  /**
   * Sends a change of the resource, if the selection contains the object or did before. An object that enters the selection is `ADDED`, and one that leaves it is
   * `DELETED`.
   */
  offer(version: Version): void {
    if (version.rv <= this.#after) return
    const { type } = version
    if (!this.#selection.any) return this.#push({ type, version })
    const { prev } = version
    const was = prev !== undefined && prev.type !== 'DELETED' && selects(this.#selection, prev, this.type)
    const is = type !== 'DELETED' && selects(this.#selection, version, this.type)
    if (is) this.#push({ type: was ? 'MODIFIED' : 'ADDED', version })
    else if (was) this.#push({ type: 'DELETED', version: type === 'DELETED' ? version : this.#leaving(prev, version) })
  }

  /** Sends an object that exists already. */
  initial(version: Version): void {
    this.#push({ type: 'ADDED', version })
  }

  bookmark(rv: number, endsInitialEvents: boolean): void {
    const annotations = endsInitialEvents ? ',"annotations":{"k8s.io/initial-events-end":"true"}' : ''
    const metadata = `{"resourceVersion":"${rv}"${annotations}}`
    const { kind, apiVersion, custom } = this.type
    let object: string
    if (this.#as === 'metadata') {
      object = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${metadata}}`
    } else if (this.#as === 'table') {
      const partial = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${metadata}}`
      const cells = toLatin1(JSON.stringify(emptyCells(this.type)))
      object = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"${rv}"},"columnDefinitions":null,"rows":[{"cells":${cells},"object":${partial}}]}`
    } else if (custom) {
      const sorted = endsInitialEvents
        ? `{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"${rv}"}`
        : metadata
      object = `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":${sorted}}`
    } else {
      object = `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${metadata}}`
    }
    this.#push({ line: eventLine('BOOKMARK', object, this.#protobuf) })
  }

  /** Sends an ERROR event with this Status, and then ends the watch cleanly. */
  error(status: Status): void {
    this.#push({ line: errorLine(status, this.#protobuf) })
    this.end()
  }

  /** Ends the watch cleanly, after all pending events. */
  end(): void {
    this.#push({ end: true })
  }

  /** Sends pending events while the client accepts more. */
  flush(): void {
    while (!this.#over && this.#next < this.#pending.length && this.#writer.ready) {
      if (this.#converts()) return
      if (this.#inject()) return
      const event = this.#pending[this.#next++] as Pending
      if ('end' in event) {
        this.#writer.end()
        this.#finish()
        return
      }
      for (let copy = 0; copy < this.#copies; copy++) this.#send(event)
    }
    if (this.#next === this.#pending.length) {
      this.#pending = []
      this.#next = 0
    }
    if (!this.#over && !this.#inject()) this.#writer.flush()
  }

  /** Whether the next event waits for its conversion. Later events wait, too. */
  #converts(): boolean {
    if (this.#converting) return true
    const { type } = this
    const { conversion } = type
    const event = this.#pending[this.#next] as Pending
    if (conversion === undefined || !('version' in event) || !conversion.lacks(type, event.version)) return false
    this.#converting = true
    void conversion.fetch(type, event.version).then(refusal => {
      this.#converting = false
      if (this.#over) return
      // An event that can't be converted ends the watch: the client must list again.
      if (refusal !== undefined) {
        this.#pending = []
        this.#next = 0
        this.error(refusal.toStatus())
      }
      this.flush()
    })
    return true
  }

  #send(event: Exclude<Pending, { end: true }>): void {
    if ('line' in event) return this.#writer.plain(event.line)
    this.#events++
    const text = this.#text(event.version)
    if (this.#protobuf) this.#writer.object(eventLine(event.type, text, true), '', '')
    else this.#writer.object(text, `{"type":"${event.type}","object":`, '}\n')
  }

  /** Sends the events of faults at this point. Returns whether a fault ended the watch. */
  #inject(): boolean {
    const [next] = this.#injections
    if (next === undefined || this.#events < next.at) return false
    this.#injections.shift()
    this.#writer.plain(next.line)
    if (!next.end) return this.#inject()
    this.#writer.end()
    this.#finish()
    return true
  }

  #text(stored: Version): string {
    const version = viewOf(this.type, stored)
    const shown = this.#lean ? withoutManagedFields(version) : version
    if (this.#as === 'metadata') return metadataText(shown)
    if (this.#as === 'table') {
      const first = this.#firstTable
      this.#firstTable = false
      return tableOf(this.type, version, { now: this.#clock.now(), first, include: this.#include })
    }
    return withHead(shown, this.type.apiVersion, this.type.kind, this.type.custom)
  }

  /** The last selected state, at the resourceVersion of the change that ended the selection. */
  #leaving(last: Version, change: Version): Version {
    const stored = atResourceVersion(last, String(last.rv), String(change.rv), this.type.custom)
    return { ...last, ...stored, rv: change.rv, type: 'DELETED' }
  }

  #push(event: Pending): void {
    if (this.#over) return
    this.#pending.push(event)
    if (this.#pending.length - this.#next > maxPending) {
      this.#pending = [{ end: true }]
      this.#next = 0
    }
    this.#flusher.schedule(this)
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#pending = []
    this.#next = 0
    for (const timer of this.#timers) timer.cancel()
    for (const fn of this.#onEnd) fn()
  }
}

function errorLine(status: Status, protobuf: boolean): string {
  return eventLine('ERROR', goJson(status), protobuf)
}

/** An event as it is sent, a character for each byte. `object` has the same form, or is JSON. */
function eventLine(type: string, object: string, protobuf: boolean): string {
  if (!protobuf) return `{"type":"${type}","object":${object}}\n`
  const { encodeObject, encodeWatchEvent } = protobufCodec()
  return encodeWatchEvent(type, encodeObject(parseJson(fromLatin1(object)) as JsonObject)).toString('latin1')
}

function injectionsOf(
  effects: readonly FaultEffect[],
  protobuf: boolean,
): { at: number; line: string; end: boolean }[] {
  const injections: { at: number; line: string; end: boolean }[] = []
  for (const effect of effects) {
    if (effect.kind === 'line') {
      injections.push({ at: effect.afterEvents ?? 0, line: toLatin1(`${effect.text}\n`), end: false })
    } else if (effect.kind === 'error-event') {
      const details =
        effect.retryAfterSeconds === undefined ? undefined : { retryAfterSeconds: effect.retryAfterSeconds }
      const error = new StatusError(effect.code, effect.reason ?? '', effect.message ?? 'a fault of the test', {
        details,
      })
      injections.push({ at: effect.afterEvents ?? 0, line: errorLine(error.toStatus(), protobuf), end: true })
    }
  }
  return injections.sort((a, b) => a.at - b.at)
}
