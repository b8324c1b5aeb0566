import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ModeName, modes, modeTexts } from '../../tools/demo/game/mode.ts'
import type { Played } from '../../tools/demo/game/play.ts'
import type { Game } from '../../tools/demo/report/game.ts'
import { page } from '../../tools/demo/report/page.ts'
import { findChromium } from './chromium.ts'

/** Made up, so that the page can be looked at without playing. */
function played(mode: ModeName, index: number): Played {
  const rss = 80e6 + index * 40e6
  return {
    ...{ mode, isRight: true, readyMs: 900 + index, reactMs: mode === 'idle' ? [] : [20, 40, 30] },
    ...{
      receivedBytes: 1e6 * index,
      unrelatedBytes: 1000 * index,
      unrelatedChanges: 30,
      changeBytes: 0,
      requests: index + 1,
    },
    memory: { rss, anonymous: rss / 2, heap: rss / 3, peakRss: rss * 1.5 },
    curve: Array.from({ length: 60 }, (_, i) => ({
      at: 50 + i * 100 + index,
      rss: 40e6 + Math.min(i, 30) * index * 1e6,
    })),
    failures: [],
  }
}

const game: Game = {
  server: 'a server that is called </script><b>&"',
  machine: 'Node 24.0.0, 2 cores, 8 GB',
  filling: { namespace: 'arcade', objects: 201, bytes: 500_000 },
  neededBytes: 1_001_000,
  seconds: 61,
  played: modes.map(played),
}

const executablePath = findChromium("the page of the demo's report")

describe.runIf(executablePath !== undefined)("the page of the demo's report", () => {
  let folder: string
  let file: string
  let browser: Browser

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wherry-page-'))
    file = join(folder, 'report.html')
    writeFileSync(file, page(game))
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

  /** Looks at the page; it must complain of nothing and ask for nothing but itself. */
  async function look<T>(
    viewport: { readonly width: number; readonly height: number },
    colorScheme: 'light' | 'dark',
    see: (shown: Page) => Promise<T>,
  ): Promise<T> {
    const shown = await browser.newPage({ viewport, colorScheme })
    shown.setDefaultTimeout(60_000)
    const complaints: string[] = []
    shown.on('console', message => complaints.push(message.text()))
    shown.on('pageerror', error => complaints.push(error.message))
    shown.on('request', request => {
      const url = request.url()
      if (url !== pathToFileURL(file).href && !url.startsWith('data:')) complaints.push(`asks for ${url}`)
    })
    try {
      await shown.goto(pathToFileURL(file).href)
      await shown.waitForSelector('html[data-drawn=yes]')
      const seen = await see(shown)
      expect(complaints).toEqual([])
      return seen
    } finally {
      await shown.close()
    }
  }

  it('draws a curve for each operator, in its own colour, and asks for nothing but itself', async () => {
    const colours = await look({ width: 1100, height: 900 }, 'light', allDrawn)
    expect(new Set(colours).size).toBe(modes.length)
  })

  it('redraws in the colours of dark mode when that is turned on', async () => {
    const { light, dark } = await look({ width: 1100, height: 900 }, 'light', async shown => {
      const light = await allDrawn(shown)
      await shown.emulateMedia({ colorScheme: 'dark' })
      return { light, dark: await allDrawn(shown) }
    })
    expect(dark.filter(colour => light.includes(colour))).toEqual([])
  })

  it.each(['light', 'dark'] as const)('can be read at 400 px in %s mode', async scheme => {
    const { overflow, faint, small, width } = await look({ width: 400, height: 800 }, scheme, shown =>
      shown.evaluate(legibility),
    )
    expect(overflow).toEqual([])
    expect(faint).toEqual([])
    expect(small).toEqual([])
    expect(width).toBeGreaterThan(300)
  })

  it('says what was measured, whatever the texts hold', async () => {
    const text = await look({ width: 1100, height: 900 }, 'light', shown => shown.textContent('main'))
    expect(text).toContain(game.server)
    for (const mode of modes) expect(text).toContain(modeTexts[mode].title)
    for (const figure of ['80.0 MB', '280 MB', '40.0 MB', '30 ms', '904 ms']) expect(text).toContain(figure)
  })
})

/** Waits until each operator's colour, as the page has it at present, is drawn. Gives these. */
async function allDrawn(shown: Page): Promise<string[]> {
  return vi.waitFor(
    async () => {
      const { wanted, drawn } = await shown.evaluate(coloursDrawn)
      expect(drawn).toEqual(wanted)
      return wanted
    },
    { interval: 50 },
  )
}

/** In the page: which of the operators' colours are on its canvas. */
function coloursDrawn(): { readonly wanted: string[]; readonly drawn: string[] } {
  const browser = globalThis as unknown as BrowserGlobals
  const { document } = browser
  const style = browser.getComputedStyle(document.documentElement)
  const names = ['idle', 'client-node', 'live', 'wherry-full', 'wherry-metadata', 'narrow']
  const wanted = names.map(name => style.getPropertyValue(`--${name}`).trim())
  const drawn = document.querySelector('#curves canvas')
  const { width, height } = drawn
  const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', {
    willReadFrequently: true,
  })
  copy.drawImage(drawn, 0, 0)
  const { data } = copy.getImageData(0, 0, width, height)
  const pixels = new Uint32Array(data.buffer)
  const there = new Set<string>()
  // The bytes of a pixel are red, green, blue and alpha, the first of them the lowest.
  for (const pixel of new Set(pixels)) {
    const colour = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]
    there.add(`#${colour.map(value => value.toString(16).padStart(2, '0')).join('')}`)
  }
  return { wanted, drawn: wanted.filter(colour => there.has(colour)) }
}

/** In the page: elements wider than it, in too weak a contrast (WCAG's 4.5), or smaller than 12 px. */
function legibility(): { overflow: string[]; faint: string[]; small: string[]; width: number } {
  const browser = globalThis as unknown as BrowserGlobals
  const { document } = browser
  const channels = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = channels(colour)
      .slice(0, 3)
      .map(value => value / 255)
      .map(value => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element: BrowserElement): string => {
    for (let at: BrowserElement | null = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = browser.getComputedStyle(at)
      if (channels(backgroundColor)[3] !== 0) return backgroundColor
    }
    return 'rgb(255, 255, 255)'
  }
  const seen = { overflow: [] as string[], faint: [] as string[], small: [] as string[] }
  for (const element of document.querySelectorAll('body *')) {
    const name = `${element.tagName} ${element.className}`
    if (element.tagName === 'SCRIPT' || element.getBoundingClientRect().width === 0) continue
    if (element.getBoundingClientRect().right > browser.innerWidth + 1) seen.overflow.push(name)
    const hasText = [...element.childNodes].some(node => node.nodeType === 3 && (node.textContent ?? '').trim() !== '')
    if (!hasText) continue
    const { color, fontSize } = browser.getComputedStyle(element)
    const [a, b] = [luminance(color), luminance(behind(element))]
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) seen.faint.push(name)
    if (Number.parseFloat(fontSize) < 12) seen.small.push(name)
  }
  return { ...seen, width: document.querySelector('#curves canvas').getBoundingClientRect().width }
}

/** What these functions use of a browser; the tests' own types know none. */
interface BrowserGlobals {
  readonly innerWidth: number
  readonly document: {
    readonly documentElement: BrowserElement
    querySelector(selector: string): BrowserElement & BrowserCanvas
    createElement(name: 'canvas'): BrowserCanvas
    querySelectorAll(selector: string): Iterable<BrowserElement>
  }
  getComputedStyle(element: BrowserElement): {
    readonly color: string
    readonly fontSize: string
    readonly backgroundColor: string
    getPropertyValue(name: string): string
  }
}

interface BrowserElement {
  readonly tagName: string
  readonly className: string
  readonly parentElement: BrowserElement | null
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>
  getBoundingClientRect(): { readonly width: number; readonly right: number }
}

interface BrowserCanvas {
  readonly width: number
  readonly height: number
  getContext(
    kind: '2d',
    options: { readonly willReadFrequently: boolean },
  ): {
    drawImage(image: BrowserCanvas, x: number, y: number): void
    getImageData(
      x: number,
      y: number,
      width: number,
      height: number,
    ): { readonly data: { readonly buffer: ArrayBuffer } }
  }
}
