import { chance, choose, integer, type Random } from '@wherry/testing'

const ranges = [
  [0, 59],
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const
const names: Readonly<Record<number, readonly string[]>> = {
  4: ['jan', 'Feb', 'MAR', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  5: ['sun', 'Mon', 'TUE', 'wed', 'thu', 'fri', 'sat'],
}
const usual = [
  ...['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually', '@every 1h30m', '@every 90s'],
  ...['@every 1.5h', '@every 500ms', '@every -1h', '@every 0', '@every 1h2', '@every', '@every ', '@Daily', ' @daily'],
  ...[
    '0 2,14 * * *',
    '0 1-4 * * *',
    '30 2 * * *',
    '0 0 */2 * 3',
    '5/15 * * * *',
    '0 0 1 * 1',
    '0 0 * * 7',
    '0 0 L * *',
  ],
  ...[
    '*/7 * * * *',
    '0 0 29 2 *',
    '0 0 30 2 *',
    '* * * *',
    '0 0 ? * ?',
    '0 0 *,5 * 1',
    '\t0\t0 * * *',
    ', * * * *',
    '',
  ],
]

/** A random cron expression. Now and then it is none. */
export function randomCron(random: Random): string {
  if (chance(random, 0.05)) return choose(random, usual)
  const count = chance(random, 0.1) ? 6 : 5
  return ranges
    .slice(6 - count)
    .map((_, at) => randomField(random, at + 6 - count))
    .join(chance(random, 0.05) ? '  ' : ' ')
}

function randomField(random: Random, at: number): string {
  // Hours of the night and days at the edge of a month are those that matter.
  if (chance(random, at > 2 ? 0.55 : 0.15)) return choose(random, ['*', '*', '*', '*', '?', '*/1', '*/2', '*/3', '*/7'])
  return Array.from({ length: chance(random, 0.3) ? integer(random, 1, 4) : 1 }, () => randomPart(random, at)).join()
}

function randomPart(random: Random, at: number): string {
  const [min, max] = ranges[at] as readonly [number, number]
  const high = at === 2 && chance(random, 0.7) ? 4 : max
  const start = integer(random, min, high)
  const step = chance(random, 0.2) ? `/${integer(random, 1, 12)}` : ''
  if (chance(random, 0.01))
    return choose(random, ['', '*-5', '-1', '1-', '1/0', '1-2-3', '1/2/3', '+3', '60', '5-1', 'x'])
  if (chance(random, 0.7)) return `${named(random, at, start)}${step}`
  return `${named(random, at, start)}-${named(random, at, integer(random, start, max))}${step}`
}

function named(random: Random, at: number, number: number): string {
  const [min] = ranges[at] as readonly [number, number]
  return (chance(random, 0.3) ? names[at]?.[number - min] : undefined) ?? `${number}`
}
