import type { Found } from '../test/step.ts'
import { publishedPackages } from '../workspace.ts'
import { installedWith } from './installed.ts'

/** Licences that ask for nothing which Apache-2.0 does not allow. */
const allowed = new Set([
  ...['Apache-2.0', 'MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['BlueOak-1.0.0', 'CC0-1.0', 'Unlicense', 'Python-2.0'],
])

/** Whether an SPDX expression leaves us a choice of allowed licences only. */
export function isAllowed(expression: string): boolean {
  const bare = expression.replace(/[()]/g, '')
  return bare.split(/ OR /i).some(choice => choice.split(/ AND /i).every(name => allowed.has(name.trim())))
}

/** Every dependency that a user of the packages gets, theirs included, must have an allowed licence. */
export function checkLicences(): Found {
  const all = publishedPackages().map(({ folder, manifest }) =>
    installedWith(Object.keys(manifest.dependencies ?? {}), folder),
  )
  const seen = new Map(all.flatMap(installed => [...installed]).filter(([, { name }]) => !name.startsWith('@wherry/')))
  const licences = [...seen].map(([key, { license }]) => {
    const licence = (typeof license === 'string' ? license : license?.type) ?? 'no licence given'
    return { key, licence }
  })
  const failures = licences.filter(({ licence }) => !isAllowed(licence)).map(({ key, licence }) => `${key}: ${licence}`)
  if (failures.length > 0) return { passed: 0, failures }
  return { passed: 1, failures, notes: [`${seen.size} dependencies of the packages`] }
}
