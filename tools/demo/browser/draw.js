/** The script of the report's page: draws the curves of memory, in the colours of light or dark mode. */

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {string} title
 * @property {readonly number[]} seconds
 * @property {readonly number[]} megabytes
 */

const holder = /** @type {HTMLElement} */ (document.getElementById('curves'))
const data = /** @type {HTMLElement} */ (document.getElementById('data'))
/** @type {readonly Series[]} */
const series = JSON.parse(data.textContent ?? '[]')
const dark = matchMedia('(prefers-color-scheme: dark)')

/** @param {string} name of a custom property */
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** @type {import('uplot') | undefined} */
let plot

function draw() {
  plot?.destroy()
  const width = holder.clientWidth
  const tables = series.map(({ seconds, megabytes }) => [[...seconds], [...megabytes]])
  const axis = { stroke: colour('--text'), grid: { stroke: colour('--grid'), width: 1 }, ticks: { show: false } }
  plot = new uPlot(
    {
      width,
      height: Math.round(Math.max(240, Math.min(420, width * 0.55))),
      scales: { x: { time: false } },
      axes: [
        { ...axis, values: (_, splits) => splits.map(value => `${value} s`) },
        { ...axis, size: 64, values: (_, splits) => splits.map(value => `${value} MB`) },
      ],
      legend: { live: false },
      cursor: { drag: { x: false, y: false } },
      series: [
        {},
        ...series.map(({ name, title }) => ({
          label: title,
          stroke: colour(`--${name}`),
          width: 2,
          spanGaps: true,
          points: { show: false },
        })),
      ],
    },
    uPlot.join(/** @type {import('uplot').AlignedData[]} */ (tables)),
    holder,
  )
}

draw()
dark.addEventListener('change', draw)
let drawnWidth = holder.clientWidth
new ResizeObserver(() => {
  if (holder.clientWidth === drawnWidth) return
  drawnWidth = holder.clientWidth
  draw()
}).observe(holder)
document.documentElement.dataset.drawn = 'yes'
