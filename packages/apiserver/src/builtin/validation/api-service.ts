import { dns1035Problems, objectAt, own, stringAt, subdomainProblems } from '@wherry/cel/internal'
import { pathSegmentProblems } from '../../metadata/names.ts'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { type Causes, type Check, checkedStatus } from './causes.ts'

const numbers = [
  { field: 'groupPriorityMinimum', most: 20_000 },
  { field: 'versionPriority', most: 1000 },
] as const
const statuses = ['True', 'False', 'Unknown']

export const checkApiService: Check = (object, causes) => {
  const spec = objectAt(object, 'spec') ?? {}
  const [group, version] = [stringAt(spec, 'group') ?? '', stringAt(spec, 'version') ?? '']
  checkName(object, `${version}.${group}`, causes)
  if (group === '' && version !== 'v1') {
    causes.required('spec.group', 'only v1 may have an empty group and it better be legacy kube')
  }
  if (group !== '') causes.invalid('spec.group', group, ...subdomainProblems(group))
  causes.invalid('spec.version', version, ...dns1035Problems(version))
  for (const { field, most } of numbers) {
    const value = Number(own(spec, field) ?? 0)
    if (value <= 0 || value > most) {
      causes.invalid(`spec.${field}`, value, `must be positive and less than ${most}`)
    }
  }
  const insecure = own(spec, 'insecureSkipTLSVerify') === true
  const bytes = Buffer.from(stringAt(spec, 'caBundle') ?? '', 'base64').length
  const service = objectAt(spec, 'service')
  if (service === undefined) {
    if (bytes > 0) causes.invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle')
    if (insecure) {
      causes.invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')
    }
    return
  }
  for (const field of ['namespace', 'name']) {
    if ((stringAt(service, field) ?? '') === '') causes.required(`spec.service.${field}`)
  }
  const port = Number(own(service, 'port') ?? 0)
  if (port < 1 || port > 65_535) {
    causes.invalid('spec.service.port', port, 'port is not valid: must be between 1 and 65535, inclusive')
  }
  if (insecure && bytes > 0) {
    causes.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')
  }
}

/** Checks the name, which must consist of the version and the group. A server does not check this if no path can contain the name. */
function checkName({ metadata: { name = '' } }: KubeObject, needed: string, causes: Causes): void {
  if (name === '' || name === needed || pathSegmentProblems(name).length > 0) return
  causes.invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(needed)}`)
}

/** The problems of a status with a condition that is neither true, false nor unknown. */
export const apiServiceStatusProblems: (object: KubeObject, old: KubeObject | undefined) => StatusCause[] =
  checkedStatus((object, causes) => {
    const conditions = own(objectAt(object, 'status') ?? {}, 'conditions')
    for (const [i, one] of (Array.isArray(conditions) ? conditions : []).entries()) {
      const status = stringAt(one as never, 'status') ?? ''
      if (!statuses.includes(status)) causes.unsupported(`status.conditions[${i}].status`, status, statuses)
    }
  })
