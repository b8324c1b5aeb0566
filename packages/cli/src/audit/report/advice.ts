import type { Finding } from './findings.ts'

/** The anchor of the section of docs/audit.md about each finding, with its cost and its remedy. */
export const adviceAnchors: Readonly<Record<Finding['finding'], string>> = {
  'no-requests': 'it-asks-for-nothing',
  'whole-kind': 'it-watches-a-whole-kind',
  relists: 'it-lists-again',
  'unchanged-writes': 'its-writes-change-nothing',
  'requests-at-rest': 'it-asks-at-rest',
  'game-received': 'it-receives-objects-of-the-game',
  'game-memory': 'its-memory-grows-in-the-game',
  forbidden: 'it-is-refused',
}

/** The address of the section about a finding. */
export function adviceUrl({ finding }: Finding): string {
  return `https://github.com/wherry-dev/wherry/blob/main/docs/audit.md#${adviceAnchors[finding]}`
}
