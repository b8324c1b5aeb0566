import { type Json, objectAt, own, stringAt, stringsAt, subdomainProblems } from '@wherry/cel/internal'
import type { Causes, Check } from './causes.ts'
import { checkSelector } from './label-selector.ts'
import { checkStorage } from './resources.ts'

const alone = 'ReadWriteOncePod'
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', alone]

/** Checks how a claim or a volume can be mounted. */
export function checkAccessModes(at: string, value: Json | undefined, causes: Causes): void {
  const modes = Array.isArray(value) ? (value as readonly string[]) : []
  for (const mode of modes) {
    if (!accessModes.includes(mode)) causes.unsupported(at, mode, accessModes)
  }
  if (modes.includes(alone) && modes.some(mode => mode !== alone && accessModes.includes(mode))) {
    causes.forbidden(at, `may not use ${alone} with other access modes`)
  }
}

export const checkClaim: Check = (claim, causes) => {
  const spec = objectAt(claim, 'spec') ?? {}
  const modes = stringsAt(spec, 'accessModes')
  if (modes.length === 0) causes.required('spec.accessModes', 'at least 1 access mode is required')
  checkSelector('spec.selector', objectAt(spec, 'selector'), causes)
  checkAccessModes('spec.accessModes', modes, causes)
  checkStorage('spec.resources', objectAt(spec, 'resources'), causes)
  const name = stringAt(spec, 'storageClassName') ?? ''
  if (name !== '') causes.invalid('spec.storageClassName', name, ...subdomainProblems(name))
  const mode = own(spec, 'volumeMode')
  if (mode !== undefined && !['Block', 'Filesystem'].includes(mode as string)) {
    causes.unsupported('spec.volumeMode', mode, ['Block', 'Filesystem'])
  }
}
