import { existsSync } from 'node:fs'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Where Chromium is: `WHERRY_CHROMIUM`, or one that this machine has. With `CI=true` its want is an error; elsewhere one line
 * says which tests are skipped, and how to get it.
 */
export function findChromium(what: string): string | undefined {
  const found = [process.env.WHERRY_CHROMIUM ?? '', ...places].find(existsSync)
  if (found !== undefined) return found
  const line = `no Chromium: install it (on Debian, the package chromium), or set WHERRY_CHROMIUM to where it is`
  if (process.env.CI === 'true') throw new Error(line)
  process.stderr.write(`skipped: ${what}: ${line}\n`)
  return undefined
}
