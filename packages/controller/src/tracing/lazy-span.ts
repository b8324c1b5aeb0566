import type { Span, SpanContext } from '@opentelemetry/api'

/** A span that is created at its first use. Most runs are dropped, and create none. */
export class LazySpan implements Span {
  readonly #make: () => Span
  #span: Span | undefined

  constructor(make: () => Span) {
    this.#make = make
  }

  /** The span itself. */
  get made(): Span {
    this.#span ??= this.#make()
    return this.#span
  }

  spanContext(): SpanContext {
    return this.made.spanContext()
  }

  setAttribute(...args: Parameters<Span['setAttribute']>): this {
    this.made.setAttribute(...args)
    return this
  }

  setAttributes(...args: Parameters<Span['setAttributes']>): this {
    this.made.setAttributes(...args)
    return this
  }

  addEvent(...args: Parameters<Span['addEvent']>): this {
    this.made.addEvent(...args)
    return this
  }

  addLink(...args: Parameters<Span['addLink']>): this {
    this.made.addLink(...args)
    return this
  }

  addLinks(...args: Parameters<Span['addLinks']>): this {
    this.made.addLinks(...args)
    return this
  }

  setStatus(...args: Parameters<Span['setStatus']>): this {
    this.made.setStatus(...args)
    return this
  }

  updateName(name: string): this {
    this.made.updateName(name)
    return this
  }

  /** Does nothing: the run ends its span. */
  end(): void {}

  isRecording(): boolean {
    return this.made.isRecording()
  }

  recordException(...args: Parameters<Span['recordException']>): void {
    this.made.recordException(...args)
  }
}
