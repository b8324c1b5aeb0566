import type { MemoryReport, ViewMemory } from './memory-report.ts'

/** The report as text: a line for each view, with its largest objects below. */
export function memoryText({ views, receivedBytes, keptBytes }: Omit<MemoryReport, 'toString'>): string {
  const lines = views.flatMap(textOf)
  if (views.length !== 1) lines.push(`all: ${size(keptBytes)} kept of ${size(receivedBytes)} received`)
  return lines.join('\n')
}

function textOf(view: ViewMemory): string[] {
  const { objects, failed, receivedBytes, keptBytes, ratio, largest } = view
  const parts = [
    `${objects} ${objects === 1 ? 'object' : 'objects'}`,
    ...(failed === 0 ? [] : [`${failed} of them not transformed`]),
    `${size(keptBytes)} kept of ${size(receivedBytes)} received (${ratio.toFixed(2)} x)`,
    ...managedText(view),
  ]
  return [
    `${view.view}: ${parts.join(', ')}`,
    ...largest.map(({ key, keptBytes: bytes }) => `  ${size(bytes).padStart(9)}  ${key}`),
  ]
}

/** The lines about managedFields: kept, or left out. */
function managedText({ keptBytes, managedFieldsBytes, managedFieldsShare }: ViewMemory): string[] {
  if (managedFieldsBytes > 0) {
    return [`${percent(managedFieldsBytes / keptBytes)} of what is kept are managedFields, which full() keeps`]
  }
  return managedFieldsShare === 0 ? [] : [`${percent(managedFieldsShare)} of what is received managedFields, left out`]
}

function size(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`
  const step = Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  return `${(bytes / 1000 ** step).toFixed(1)} ${units[step]}`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
