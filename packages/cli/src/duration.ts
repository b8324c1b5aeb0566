import { InvalidArgumentError } from 'commander'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }
/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1

/**
 * A duration of the command line, in milliseconds.
 *
 * @param name the option or setting, for the error
 * @throws InvalidArgumentError
 */
export function durationOf(text: string, name: string): number {
  const [, number = '', unit = ''] = /^(\d{1,10})(ms|s|m)$/.exec(text) ?? []
  const ms = Number(number) * (units[unit] ?? Number.NaN)
  if (ms > 0 && ms <= longestMs) return ms
  throw new InvalidArgumentError(`${name} takes a duration such as 500ms, 5s or 2m, not ${JSON.stringify(text)}`)
}
