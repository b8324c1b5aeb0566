import type { Context, Span } from '@opentelemetry/api'

type Library = typeof import('@opentelemetry/api')

/** Makes contexts that hold a span and nothing else. A context of the library holds a map and three functions, too much for each run. */
export class SpanContexts {
  readonly #library: Library
  readonly #key: symbol

  constructor(library: Library) {
    this.#library = library
    this.#key = spanKeyOf(library)
  }

  of(span: Span): Context {
    return new SpanContext(this.#library, this.#key, span)
  }
}

class SpanContext implements Context {
  readonly #library: Library
  readonly #key: symbol
  readonly #span: Span

  constructor(library: Library, key: symbol, span: Span) {
    this.#library = library
    this.#key = key
    this.#span = span
  }

  getValue(key: symbol): unknown {
    return key === this.#key ? this.#span : undefined
  }

  setValue(key: symbol, value: unknown): Context {
    return this.#whole().setValue(key, value)
  }

  deleteValue(key: symbol): Context {
    return this.#whole().deleteValue(key)
  }

  #whole(): Context {
    return this.#library.ROOT_CONTEXT.setValue(this.#key, this.#span)
  }
}

/** The key of a context's span, which the library keeps to itself. */
function spanKeyOf({ trace, ROOT_CONTEXT, INVALID_SPAN_CONTEXT }: Library): symbol {
  let found: symbol | undefined
  const probe: Context = {
    getValue: () => undefined,
    setValue(key) {
      found = key
      return ROOT_CONTEXT
    },
    deleteValue: () => ROOT_CONTEXT,
  }
  trace.setSpan(probe, trace.wrapSpanContext(INVALID_SPAN_CONTEXT))
  if (found === undefined) throw new Error('@opentelemetry/api has set no value for the span of a context')
  return found
}
