import { type Admission, cut, type FromOperator, type OperatorState, type Run } from './messages.ts'

/** How many keys keep their last run. The key that ran longest ago is dropped first. */
const mostKeys = 1000

/** How many admissions are kept. The oldest is dropped first. */
const mostAdmissions = 200
/** The maximum number of changes and of warnings of an admission that are shown. */
const mostLines = 20

/** The last run of a key, and how often it ran. */
export interface KeyRun extends Run {
  readonly runs: number
}

/** The data of the page. */
export interface Shown {
  /** Whether the program runs, and if not, why. */
  readonly program: string
  readonly server: string
  readonly operator: OperatorState | undefined
  /** The latest first. */
  readonly keys: readonly KeyRun[]
  /** The latest first. */
  readonly admissions: readonly Admission[]
}

/** The state of the operator for the page. Calls its listeners when the state changes. */
export class Overview {
  readonly #server: string
  readonly #listeners = new Set<() => void>()
  readonly #keys = new Map<string, KeyRun>()
  #admissions: readonly Admission[] = []
  #program = 'starts'
  #operator: OperatorState | undefined
  #timer: NodeJS.Immediate | undefined

  constructor(server: string) {
    this.#server = server
  }

  get shown(): Shown {
    const keys = [...this.#keys.values()].reverse()
    return {
      program: this.#program,
      server: this.#server,
      operator: this.#operator,
      keys,
      admissions: this.#admissions,
    }
  }

  /** Sets whether the program runs. A start clears the state of the earlier run. */
  setProgram(program: string): void {
    this.#program = program
    if (program === 'starts') {
      this.#operator = undefined
      this.#keys.clear()
      this.#admissions = []
    }
    this.#changed()
  }

  receive(message: Exclude<FromOperator, { type: 'explained' | 'webhooks' }>): void {
    this.#program = 'runs'
    if (message.type === 'state') this.#operator = message.state
    else if (message.type === 'admission') this.#admitted(message.admission)
    else this.#ran(message.run)
    this.#changed()
  }

  /** Calls the listener after changes, once for several changes at a time. Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #ran(run: Run): void {
    const id = `${run.controller} ${run.key}`
    const runs = (this.#keys.get(id)?.runs ?? 0) + 1
    this.#keys.delete(id)
    const { error, why } = run
    this.#keys.set(id, { ...run, why: cut(why), ...(error !== undefined && { error: cut(error) }), runs })
    const [oldest] = this.#keys.keys()
    if (this.#keys.size > mostKeys && oldest !== undefined) this.#keys.delete(oldest)
  }

  #admitted({ message, warnings, changes, object, user, ...rest }: Admission): void {
    const few = (lines: readonly string[]): string[] => [
      ...lines.slice(0, mostLines).map(cut),
      ...(lines.length > mostLines ? [`and ${lines.length - mostLines} more`] : []),
    ]
    const texts = { message: cut(message), object: cut(object), user: cut(user) }
    const admission = { ...rest, ...texts, warnings: few(warnings), changes: few(changes) }
    this.#admissions = [admission, ...this.#admissions].slice(0, mostAdmissions)
  }

  #changed(): void {
    this.#timer ??= setImmediate(() => {
      this.#timer = undefined
      for (const listener of this.#listeners) listener()
    })
  }
}
