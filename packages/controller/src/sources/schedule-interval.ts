const unitsMs: Readonly<Record<string, number>> = {
  ...{ ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3 },
  ...{ ms: 1, s: 1000, m: 60_000, h: 3_600_000 },
}

/** The longest duration of Go, in milliseconds. */
const longestMs = 2 ** 63 / 1e6

/**
 * The interval of `@every DURATION`, in milliseconds: whole seconds, 1 or more. `undefined` for any other expression.
 * @throws Error with the reason, if the duration is not in Go's form
 */
export function intervalOf(cron: string): number | undefined {
  if (!cron.startsWith('@every ')) return undefined
  const text = cron.slice('@every '.length)
  if (/^[+-]?0$/.test(text)) return 1000
  const unsigned = text.replace(/^[+-]/, '')
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y
  let ms = 0
  while (part.lastIndex < unsigned.length || unsigned === '') {
    const [, number, unit] = part.exec(unsigned) ?? []
    if (unit === undefined) throw new Error(`@every takes a duration such as 1h30m, got ${JSON.stringify(text)}`)
    ms += Number(number) * (unitsMs[unit] as number)
  }
  if (ms >= longestMs) throw new Error('@every takes a duration of less than 292 years')
  return text.startsWith('-') ? 1000 : Math.max(1, Math.floor(ms / 1000)) * 1000
}
