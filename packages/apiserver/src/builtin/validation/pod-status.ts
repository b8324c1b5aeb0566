import { objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { ipProblems, versionOf } from './addresses.ts'
import type { Check } from './causes.ts'

/** Checks the addresses in the status of a Pod: each has a family of its own. */
export const checkPodStatus: Check = (pod, causes) => {
  const addresses = objectsAt(objectAt(pod, 'status'), 'podIPs').map(one => stringAt(one, 'ip') ?? '')
  for (const [i, ip] of addresses.entries()) causes.invalid(`status.podIPs[${i}]`, ip, ...ipProblems(ip))
  const versions = addresses.map(versionOf)
  const bad = versions.indexOf(0)
  if (versions.length < 2 || (bad < 0 && new Set(versions).size === versions.length)) return
  if (bad >= 0) {
    const why = `failed to check for dual stack with error:invalid IP[${bad}]: ${addresses[bad]}`
    causes.add([{ reason: 'InternalError', message: `Internal error: ${why}`, field: 'status.podIPs' }])
  }
  const shown = addresses.map(IP => ({ IP }))
  causes.invalid('status.podIPs', shown, 'may specify no more than one IP for each IP family')
}
