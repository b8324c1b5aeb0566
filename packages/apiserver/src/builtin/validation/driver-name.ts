import { subdomainProblems } from '@wherry/cel/internal'
import type { Rule } from './rules.ts'

/** The name of a CSI driver. */
export const checkDriverName: Rule = (at, value, causes) => {
  const name = typeof value === 'string' ? value : ''
  if (name === '') return causes.required(at)
  if (name.length > 63) causes.tooLong(at, 63)
  causes.invalid(at, name, ...subdomainProblems(name.toLowerCase()))
}
