import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportPage } from '../../packages/cli/src/audit/report/page.ts'
import type { AuditReport } from '../../packages/cli/src/audit/report/report.ts'
import { findChromium } from '../demo/chromium.ts'

const hostile = `</td><script>document.title='1'</script><img src="http://127.0.0.1:1/x" onerror='document.title=2'>&amp;`

const report: AuditReport = {
  seconds: 32.8,
  findings: [
    { finding: 'whole-kind', resource: hostile, namespace: hostile, distinct: 30, used: 1, bytes: 15_000_000 },
    { finding: 'requests-at-rest', request: `get ${hostile}`, times: 3, seconds: 10 },
  ],
  collections: [
    {
      ...{
        resource: hostile,
        namespace: hostile,
        selector: hostile,
        lists: 1,
        furtherPages: 0,
        watches: 2,
        objects: 31,
      },
      ...{ distinct: 30, used: 1, bytes: 15_000_000, wireBytes: 1, onceBytes: 14_000_000, relists: { '410': 2 } },
    },
  ],
  byName: [
    {
      ...{ resource: hostile, get: 5, create: 0, update: 0, patch: 4, delete: 0, connect: 0, unchanged: 2, bytes: 100 },
      getsPerMinute: 9.1,
    },
  ],
  patches: [{ resource: 'pods', manager: hostile, type: 'merge', times: 4, unchanged: 2 }],
  refusals: [{ status: 403, verb: 'list', resource: hostile, namespace: hostile, times: 7 }],
  rest: { seconds: 10, requests: [{ request: `get ${hostile}`, times: 3 }] },
  others: { requests: 3, bytes: 900 },
  memory: [
    { second: 0, rssBytes: 40e6, receivedBytes: 0 },
    { second: 8, rssBytes: 160e6, receivedBytes: 15_000_000 },
    { second: 32, rssBytes: 120e6, receivedBytes: 15_001_000 },
  ],
  game: {
    ...{ namespace: hostile, counts: { configmaps: 0, secrets: 3, pods: 0, events: 0 }, maxGrowthBytes: 20e6 },
    received: [{ resource: hostile, objects: 6, bytes: 3_000_000 }],
    ...{ rssBeforeBytes: 50e6, rssMostBytes: 90e6, rssAfterBytes: 80e6 },
  },
}

it('a page has no markup of the program that was audited, and no control characters', () => {
  const resource = `a\u0000\u001b[31m${hostile}`
  const page = reportPage({ ...report, refusals: [{ status: 401, verb: 'get', resource, namespace: '', times: 1 }] })
  expect(page).not.toMatch(/<script|<img/)
  expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the subject of the test
  expect(page).not.toMatch(/[\u0000\u001b]/)
})

it('a run without findings, requests or memory has a page', () => {
  const none = { findings: [], collections: [], byName: [], patches: [], refusals: [], memory: [] }
  const page = reportPage({ ...report, ...none, rest: undefined, game: undefined })
  for (const text of ['Nothing was found.', 'the run was too short for a plot', 'Its memory is not known.'])
    expect(page).toContain(text)
  expect(page).not.toMatch(/NaN|undefined|Infinity/)
})

it('a plot of zeros is a line', () => {
  const page = (seconds: readonly number[]): string =>
    reportPage({ ...report, memory: seconds.map(second => ({ second, rssBytes: 0, receivedBytes: 0 })) })
  for (const seconds of [
    [0, 4],
    [0, 0],
  ])
    expect(page(seconds)).not.toMatch(/NaN|undefined|Infinity/)
  expect(page([0, 4])).toContain('points="0,200 1000,200"')
  expect(page([4]).match(/the run was too short for a plot/g)).toHaveLength(2)
})

const executablePath = findChromium('the page of wherry audit')

describe.runIf(executablePath !== undefined)('the page of wherry audit', () => {
  let folder: string
  let url: string
  let browser: Browser

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wherry-audit-page-'))
    const file = join(folder, 'report.html')
    writeFileSync(file, reportPage(report))
    url = pathToFileURL(file).href
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu'],
      timeout: 300_000,
    })
  })

  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Looks at the page. It complains of nothing and asks for nothing but itself. */
  async function look<T>(width: number, colorScheme: 'light' | 'dark', see: (shown: Page) => Promise<T>): Promise<T> {
    const shown = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    shown.setDefaultTimeout(300_000)
    const complaints: string[] = []
    shown.on('console', message => complaints.push(message.text()))
    shown.on('pageerror', error => complaints.push(error.message))
    shown.on('request', request => {
      if (request.url() !== url && !request.url().startsWith('data:')) complaints.push(`asks for ${request.url()}`)
    })
    try {
      await shown.goto(url)
      const seen = await see(shown)
      expect(complaints).toEqual([])
      return seen
    } finally {
      await shown.close()
    }
  }

  it('takes all text of the program as text, and asks for nothing but itself', async () => {
    const { title, tables, findings, links, facts } = await look(1_100, 'light', async shown => ({
      title: await shown.title(),
      tables: await Promise.all((await shown.locator('tbody').all()).map(body => body.locator('td').allTextContents())),
      findings: await shown.locator('main > ul > li').allTextContents(),
      links: await shown.locator('a').evaluateAll(all => all.map(one => one.getAttribute('href'))),
      facts: await shown.locator('main > p').allTextContents(),
    }))
    expect(title).toBe('wherry audit')
    expect(tables).toEqual([
      [hostile, hostile, hostile, '1', '2', '31', '1 of 30', '15 MB', '14 MB', '2 410'],
      [hostile, '5', '9.1', '0', '0', '4', '0', '2', '100 B'],
      ['pods', hostile, 'merge', '4', '2'],
      [hostile, 'list', '403', hostile, '7'],
      [`get ${hostile}`, '3', '10'],
    ])
    expect(findings).toEqual([
      `All ${hostile} in ${hostile} are watched: of 30 objects, 1 are read or written by name. What it costs, what helps`,
      `At rest, get ${hostile} was sent 3 times in 10 s. What it costs, what helps`,
    ])
    const docs = 'https://github.com/wherry-dev/wherry/blob/main/docs/audit.md'
    expect(links).toEqual([`${docs}#it-watches-a-whole-kind`, `${docs}#it-asks-at-rest`])
    expect(facts).toContainEqual(expect.stringContaining('Memory: 50 MB before, 90 MB at most, 80 MB after.'))
  })

  it('draws memory and bytes over time, each in its own colour', async () => {
    const drawn = await look(1_100, 'light', shown => shown.evaluate(lines))
    expect(drawn.map(({ points }) => points)).toEqual(['0,160 250,40 1000,80', '0,200 250,50 1000,50'])
    expect(new Set(drawn.map(({ colour }) => colour)).size).toBe(2)
    for (const { colour, width, height } of drawn) {
      expect(colour).toMatch(/^rgb/)
      expect(width).toBeGreaterThan(500)
      expect(height).toBeGreaterThan(80)
    }
    expect(await look(1_100, 'light', shown => shown.locator('.scale').allInnerTexts())).toEqual([
      '200 MB\n100 MB\n0',
      '20 MB\n10 MB\n0',
    ])
  })

  it('has other colours in dark mode', async () => {
    const [light, dark] = [
      await look(1_100, 'light', shown => shown.evaluate(lines)),
      await look(1_100, 'dark', shown => shown.evaluate(lines)),
    ]
    const colours = light.map(({ colour }) => colour)
    expect(dark.filter(({ colour }) => colours.includes(colour))).toEqual([])
  })

  it('is not wider than 400 px', async () => {
    expect(await look(400, 'light', shown => shown.evaluate(widest))).toBeLessThanOrEqual(400)
  })
})

/** In the page: its curves as they are drawn. */
function lines(): {
  readonly points: string
  readonly colour: string
  readonly width: number
  readonly height: number
}[] {
  const browser = globalThis as unknown as BrowserGlobals
  return [...browser.document.querySelectorAll('polyline')].map(line => {
    const { width, height } = line.getBoundingClientRect()
    return { points: line.getAttribute('points') ?? '', colour: browser.getComputedStyle(line).stroke, width, height }
  })
}

/** In the page: how wide all of it is. */
function widest(): number {
  return (globalThis as unknown as BrowserGlobals).document.documentElement.scrollWidth
}

/** The parts of a browser that these functions use; the tests' own types know none. */
interface BrowserGlobals {
  readonly document: {
    readonly documentElement: { readonly scrollWidth: number }
    querySelectorAll(selector: string): Iterable<BrowserElement>
  }
  getComputedStyle(element: BrowserElement): { readonly stroke: string }
}

interface BrowserElement {
  getAttribute(name: string): string | null
  getBoundingClientRect(): { readonly width: number; readonly height: number }
}
