import { isIP } from 'node:net'
import {
  dnsLabelProblems,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  stringAt,
  stringsAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { Causes, Check } from './causes.ts'
import { checkContainers, checkInitContainers } from './containers.ts'
import { checkLabels } from './label-selector.ts'
import { checkAffinity, checkSpread, checkTolerations } from './scheduling.ts'
import { checkVolumes } from './volume.ts'

const maxInt32 = 2_147_483_647

/** Checks a Pod. */
export const checkPod: Check = (pod, causes) => checkPodSpec('spec', objectAt(pod, 'spec') ?? {}, causes)

/** Checks a template of Pods. Volumes that are named in `more` are added to those of the template. */
export function checkTemplate(
  field: string,
  template: JsonObject | undefined,
  causes: Causes,
  more: readonly string[] = [],
): void {
  const metadata = objectAt(template, 'metadata')
  checkLabels(`${field}.labels`, objectAt(metadata, 'labels'), causes)
  for (const key of Object.keys(objectAt(metadata, 'annotations') ?? {}).sort()) {
    causes.invalid(`${field}.annotations`, key, ...qualifiedNameProblems(key.toLowerCase()))
  }
  checkPodSpec(`${field}.spec`, objectAt(template, 'spec') ?? {}, causes, more)
}

function checkPodSpec(field: string, spec: JsonObject, causes: Causes, more: readonly string[] = []): void {
  const containers = objectsAt(spec, 'containers')
  const volumes = checkVolumes(`${field}.volumes`, objectsAt(spec, 'volumes'), causes)
  for (const name of more) volumes.add(name)
  checkContainers(`${field}.containers`, containers, volumes, causes)
  checkInitContainers(`${field}.initContainers`, objectsAt(spec, 'initContainers'), containers, volumes, causes)
  causes.chosen(`${field}.restartPolicy`, own(spec, 'restartPolicy'), ['Always', 'OnFailure', 'Never'])
  const dns = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
  causes.chosen(`${field}.dnsPolicy`, own(spec, 'dnsPolicy'), dns)
  checkLabels(`${field}.nodeSelector`, objectAt(spec, 'nodeSelector'), causes)
  checkAffinity(`${field}.affinity`, objectAt(spec, 'affinity'), causes)
  for (const [i, gate] of objectsAt(spec, 'schedulingGates').entries()) {
    const name = stringAt(gate, 'name') ?? ''
    causes.invalid(`${field}.schedulingGates[${i}]`, name, ...qualifiedNameProblems(name))
  }
  checkSpread(`${field}.topologySpreadConstraints`, objectsAt(spec, 'topologySpreadConstraints'), causes)
  checkNames(field, spec, causes)
  checkTolerations(`${field}.tolerations`, objectsAt(spec, 'tolerations'), causes)
  checkAliases(`${field}.hostAliases`, objectsAt(spec, 'hostAliases'), causes)
  const priority = stringAt(spec, 'priorityClassName') ?? ''
  if (priority !== '') causes.invalid(`${field}.priorityClassName`, priority, ...subdomainProblems(priority))
}

function checkAliases(field: string, aliases: readonly JsonObject[], causes: Causes): void {
  for (const [i, alias] of aliases.entries()) {
    const ip = stringAt(alias, 'ip') ?? ''
    if (isIP(ip) === 0) {
      causes.invalid(`${field}[${i}].ip`, ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')
    }
    for (const [j, name] of stringsAt(alias, 'hostnames').entries()) {
      causes.invalid(`${field}[${i}].hostnames[${j}]`, name, ...subdomainProblems(name))
    }
  }
}

function checkNames(field: string, spec: JsonObject, causes: Causes): void {
  const named = (name: string, problems: (text: string) => string[]): void => {
    const text = stringAt(spec, name) ?? ''
    if (text !== '') causes.invalid(`${field}.${name}`, text, ...problems(text))
  }
  named('serviceAccountName', subdomainProblems)
  named('nodeName', subdomainProblems)
  const deadline = own(spec, 'activeDeadlineSeconds')
  if (deadline !== undefined && !(typeof deadline === 'number' && deadline >= 1 && deadline <= maxInt32)) {
    causes.invalid(`${field}.activeDeadlineSeconds`, deadline, `must be between 1 and ${maxInt32}, inclusive`)
  }
  named('hostname', dnsLabelProblems)
  named('subdomain', dnsLabelProblems)
}
