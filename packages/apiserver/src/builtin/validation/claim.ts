import { objectAt, own, stringAt, stringsAt, subdomainProblems } from '@wherry/cel/internal'
import type { Check } from './causes.ts'
import { checkSelector } from './label-selector.ts'
import { checkStorage } from './resources.ts'

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

export const checkClaim: Check = (claim, causes) => {
  const spec = objectAt(claim, 'spec') ?? {}
  const modes = stringsAt(spec, 'accessModes')
  if (modes.length === 0) causes.required('spec.accessModes', 'at least 1 access mode is required')
  checkSelector('spec.selector', objectAt(spec, 'selector'), causes)
  for (const mode of modes) {
    if (!accessModes.includes(mode)) causes.unsupported('spec.accessModes', mode, accessModes)
  }
  if (modes.includes('ReadWriteOncePod') && modes.some(mode => mode !== 'ReadWriteOncePod')) {
    causes.forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes')
  }
  checkStorage('spec.resources', objectAt(spec, 'resources'), causes)
  const name = stringAt(spec, 'storageClassName') ?? ''
  if (name !== '') causes.invalid('spec.storageClassName', name, ...subdomainProblems(name))
  const mode = own(spec, 'volumeMode')
  if (mode !== undefined && !['Block', 'Filesystem'].includes(mode as string)) {
    causes.unsupported('spec.volumeMode', mode, ['Block', 'Filesystem'])
  }
}
