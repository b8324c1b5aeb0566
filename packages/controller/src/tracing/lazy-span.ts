import type { Span, SpanContext } from '@opentelemetry/api'

/** A span that is created at its first use. A reconcile that does nothing leaves no trace, so most reconciles never create their span. */
export class LazySpan implements Span {
  readonly #make: () => Span
  #span: Span | undefined

  constructor(make: () => Span) {
    this.#make = make
  }

  /** Creates the span at the first call, and returns it. */
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

  /** Does nothing: the trace of the reconcile ends the created span. */
  end(): void {}

  isRecording(): boolean {
    return this.made.isRecording()
  }

  recordException(...args: Parameters<Span['recordException']>): void {
    this.made.recordException(...args)
  }
}
