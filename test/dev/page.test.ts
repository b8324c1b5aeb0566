import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Overview } from '../../packages/cli/src/dev/overview.ts'
import { servePage } from '../../packages/cli/src/dev/page.ts'
import { findChromium } from '../demo/chromium.ts'

const executablePath = findChromium('the page of wherry dev')

const hostile = '<img src=x onerror="document.title=1">'
const state = {
  name: 'game-operator',
  controllers: [
    { name: 'game', views: ['/v1/configmaps'], pending: ['game: default/chess is being reconciled'] },
    { name: 'score', views: [], pending: [], obstacle: 'score waits to lead' },
  ],
  views: [{ view: '/v1/configmaps', state: 'watching', objects: 3, receivedBytes: 1500, holders: ['controller/game'] }],
}
const run = {
  ...{ controller: 'game', key: 'default/chess', why: `for updated ${hostile}`, outcome: 'done' },
  ...{ startedAt: 1_700_000_000_000, tookMs: 12.4 },
}

const admission = {
  ...{
    webhook: 'limits',
    operation: 'CREATE',
    resource: 'games',
    object: 'default/chess',
    user: 'jane',
    isDryRun: true,
  },
  ...{ allowed: false, message: hostile, warnings: [], changes: [], startedAt: 1_700_000_000_000, tookMs: 2.5 },
}

describe.runIf(executablePath !== undefined)('the page of wherry dev', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu'],
      timeout: 300_000,
    })
  })

  afterAll(() => browser?.close())

  it('follows the operator, explains a key, and takes all text as text', async () => {
    const overview = new Overview('https://127.0.0.1:6443')
    await using page = await servePage(overview, 0, async (controller, key) => `${controller} ${key}: exists, idle`)
    const shown = await browser.newPage()
    shown.setDefaultTimeout(300_000)
    const complaints: string[] = []
    shown.on('console', message => complaints.push(message.text()))
    shown.on('pageerror', error => complaints.push(error.message))
    shown.on('request', request => {
      if (!request.url().startsWith(new URL(page.url).origin)) complaints.push(`asks for ${request.url()}`)
    })
    await shown.goto(page.url)
    await shown.getByText('No operator runs yet').waitFor()
    overview.receive({ type: 'state', state })
    overview.receive({ type: 'run', run })
    await shown.getByRole('heading', { name: 'game-operator' }).waitFor()
    const rows = await shown.locator('#controllers tr').allInnerTexts()
    expect(rows.map(row => row.split('\t'))).toEqual([
      ['game', '/v1/configmaps', 'game: default/chess is being reconciled'],
      ['score', '', 'score waits to lead'],
    ])
    expect(await shown.locator('#views tr').allInnerTexts()).toEqual([
      '/v1/configmaps\twatching\t3\t1.5 kB\tcontroller/game',
    ])
    await shown.getByText(`for updated ${hostile}`).waitFor()
    await shown.getByRole('button', { name: 'default/chess' }).click()
    await shown.getByText('game default/chess: exists, idle').waitFor()
    overview.receive({ type: 'run', run: { ...run, error: 'chess is too big', outcome: 'failed' } })
    await shown.locator('#keys .bad', { hasText: 'chess is too big' }).waitFor()
    overview.receive({ type: 'admission', admission })
    overview.receive({ type: 'admission', admission: { ...admission, allowed: true, changes: ['add /data "x"'] } })
    await shown.locator('#admissions .bad', { hasText: `denied: ${hostile}` }).waitFor()
    expect((await shown.locator('#admissions tr').first().locator('td').allInnerTexts()).slice(0, 5)).toEqual([
      'default/chess',
      'limits',
      'CREATE games, dry run, by jane',
      'allowed, and changed: add /data "x"',
      '2.5 ms',
    ])
    overview.setProgram('ended with 1')
    await shown.getByText('ended with 1').waitFor()
    expect(await shown.title()).toBe('wherry dev')
    expect(complaints).toEqual([])
    await shown.close()
  })
})
