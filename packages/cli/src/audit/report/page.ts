import { createHash } from 'node:crypto'
import { oneLine } from '../../one-line.ts'
import { adviceUrl } from './advice.ts'
import { bytesText } from './bytes-text.ts'
import { findingText } from './findings.ts'
import { pageStyle } from './page-style.ts'
import { plot } from './plot.ts'
import { type AuditReport, receivedBytesOf } from './report.ts'
import { factsOf, mostMemory } from './table.ts'
import { type Table, tablesOf } from './tables.ts'

/** A report as an HTML page. The page needs no network, runs no script, and shows data of the program as text only. */
export function reportPage(report: AuditReport): string {
  const { findings, memory, seconds } = report
  const most = mostMemory(memory)
  const tables = tablesOf(report).filter(({ rows }) => rows.length > 0)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src '${styleHash()}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>wherry audit</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<main>
<h1>What the program asks for</h1>
<dl>
${fact('Run', `${seconds} s`)}
${fact('Findings', `${findings.length}`)}
${fact('Received', bytesText(receivedBytesOf(report)))}
${fact('Memory at most', most === undefined ? 'not known' : bytesText(most.rssBytes))}
</dl>
<h2>Findings</h2>
${findingList(report)}
<h2>Over time</h2>
${plot(
  'Memory (RSS) of the command and its children',
  'rss',
  memory.map(({ second, rssBytes: bytes }) => ({ second, bytes })),
)}
${plot(
  'Bytes received since the start, unpacked',
  'received',
  memory.map(({ second, receivedBytes: bytes }) => ({ second, bytes })),
)}
${factsOf(report)
  .map(line => `<p>${escaped(line)}</p>`)
  .join('\n')}
<h2>Requests</h2>
${tables.length === 0 ? '<p>None of a resource.</p>' : tables.map(tableText).join('\n')}
</main>
</body>
</html>
`
}

const styleHash = (): string => `sha256-${createHash('sha256').update(pageStyle).digest('base64')}`

const fact = (name: string, value: string): string => `<div><dt>${name}</dt><dd>${value}</dd></div>`

function findingList({ findings }: AuditReport): string {
  if (findings.length === 0) return '<p>Nothing was found.</p>'
  const items = findings.map(
    one =>
      `<li>${escaped(findingText(one))} <a href="${adviceUrl(one)}" rel="noreferrer">What it costs, what helps</a></li>`,
  )
  return `<ul>\n${items.join('\n')}\n</ul>`
}

function tableText({ head, rows }: Table): string {
  const cells = (tag: 'th' | 'td', row: readonly string[]): string =>
    `<tr>${row.map(cell => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`
  return `<div class="wide"><table>
<thead>${cells('th', head)}</thead>
<tbody>
${rows.map(row => cells('td', row)).join('\n')}
</tbody>
</table></div>`
}

/** Escapes a text for HTML. */
function escaped(text: string): string {
  return oneLine(text).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
