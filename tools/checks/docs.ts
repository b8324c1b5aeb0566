import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../test/demo/chromium.ts'
import { buildSite } from '../docs/build.ts'
import { faultsOf, faultsOfTexts } from '../docs/inspect.ts'
import { serveFolder } from '../docs/serve.ts'
import { placeOf, sitePages } from '../docs/site-map.ts'
import type { Found } from '../test/step.ts'
import { root } from '../workspace.ts'

/** A host may have the site at any path. */
const base = '/a/b/'
const waitMs = 300_000

/**
 * The site is built, each link and anchor of it leads somewhere, nothing of it loads from another host, and the texts for assistants name each page.
 * In Chromium the search finds `indexBy` by "index".
 */
export async function checkDocs(): Promise<Found> {
  const executablePath = findChromium('the site of the documentation')
  mkdirSync(join(root, '.cache'), { recursive: true })
  const out = mkdtempSync(join(root, '.cache/docs-check-'))
  try {
    const started = Date.now()
    await buildSite({ out, base })
    const builtMs = Date.now() - started
    const failures = [...faultsOf(out, base), ...faultsOfTexts(out, base, sitePages().map(placeOf))]
    if (executablePath !== undefined) failures.push(...(await faultsInBrowser(executablePath, out)))
    const notes = [`the site was built in ${(builtMs / 1000).toFixed(0)} s`]
    return { passed: failures.length === 0 ? 1 : 0, failures, notes }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/** The problems of the site as a reader sees it. */
async function faultsInBrowser(executablePath: string, folder: string): Promise<string[]> {
  const server = await serveFolder(folder, base, 0)
  const args = ['--no-sandbox', '--disable-gpu']
  const browser: Browser = await chromium.launch({ executablePath, args, timeout: waitMs })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(waitMs)
    const failures: string[] = []
    page.on('pageerror', error => failures.push(`in Chromium: ${error.message}`))
    page.on('console', message => {
      if (message.type() === 'error') failures.push(`in Chromium: ${message.text()}`)
    })
    page.on('request', request => {
      if (!request.url().startsWith(server.url)) failures.push(`in Chromium: the page asks for ${request.url()}`)
    })
    await page.goto(server.url)
    failures.push(...(await faultsOfTheme(page)), ...(await faultsOfSearch(page)))
    return failures
  } finally {
    await browser.close()
    await server.close()
  }
}

async function faultsOfTheme(page: Page): Promise<string[]> {
  const html = page.locator('html')
  const before = (await html.getAttribute('class')) ?? ''
  await page.locator('.VPSwitchAppearance').first().click()
  const after = (await html.getAttribute('class')) ?? ''
  const isSwitched = before.includes('dark') !== after.includes('dark')
  return isSwitched ? [] : ['in Chromium: the switch for dark colours does nothing']
}

/** Searches as a reader does: the page must be among the results, and be there when it is opened. */
async function faultsOfSearch(page: Page): Promise<string[]> {
  await page.locator('.VPNavBarSearch button').first().click()
  await page.locator('#localsearch-input').fill('index')
  const results = page.locator('.VPLocalSearchBox a.result')
  await results.first().waitFor()
  const found = await results.evaluateAll(all => all.map(one => one.getAttribute('href') ?? ''))
  const missing = ['docs/tracked-reads.html#', 'functions/indexBy.html'].filter(
    part => !found.some(one => one.includes(part)),
  )
  if (missing.length > 0)
    return missing.map(one => `in Chromium: a search for "index" does not find ${one}, but ${found.join(', ')}`)
  await results.and(page.locator('[href*="functions/indexBy.html"]')).first().click()
  await page.getByRole('heading', { name: 'Function: indexBy()' }).waitFor()
  return []
}
