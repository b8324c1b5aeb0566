import { relative } from 'node:path'
import { refused, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import type { DeclaredHealth } from '../program/declaration.ts'
import { definitionFiles } from '../program/declared.ts'
import { operatorRoles } from '../rbac/operator-roles.ts'
import type { RightsOptions } from '../rbac/rights-options.ts'
import { kustomizationYaml, manifestsYaml } from './documents.ts'

/** The options that say what is in the files. */
export interface ManifestOptions extends RightsOptions {
  readonly name: string
  readonly image?: string
  readonly serviceMonitor?: true
  readonly out?: string
}

/** The contents of the files by name, the manifests first. Says on stderr what is missing for a Deployment that can be relied on. */
export async function manifestFiles(
  program: string | undefined,
  options: ManifestOptions,
  host: CommandHost,
): Promise<Readonly<Record<string, string>>> {
  const { name, image = `${name}:latest`, serviceMonitor, out = '.', crd, granted = [] } = options
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    throw wrongUsage(`--name ${name}: lower-case letters, digits and -, up to 63`)
  const { namespace = name, roles, program: run } = await operatorRoles(program, name, options, host)
  const { leader = false, health } = run?.declaration ?? {}
  if (health === undefined) host.stderr.write(`wherry: no probes: ${program ?? 'no program'} serves no health\n`)
  else checkReachable(health, program ?? '')
  if (serviceMonitor && !health?.metrics)
    throw refused(`--service-monitor: ${program ?? 'no program'} serves no metrics`)
  const manifests = manifestsYaml({
    ...{ name, namespace, image, roles, leader, health },
    hasServiceMonitor: serviceMonitor === true,
  })
  const others = [...(await definitionFiles(crd, host.cwd)), ...granted]
  const inside = others
    .map(file => relative(out, file).replaceAll('\\', '/'))
    // Kustomize reads no files outside its folder.
    .filter(file => !file.startsWith('../'))
  return { [`${name}.yaml`]: manifests, 'kustomization.yaml': kustomizationYaml([...inside, `${name}.yaml`]) }
}

/** Kubelet asks a pod from outside, at a port that the Deployment names. */
function checkReachable({ host, port }: DeclaredHealth, program: string): void {
  if (port === 0) throw refused(`${program} serves its health at a free port: name one, such as health: { port: 8080 }`)
  if (/^(127\.|localhost$|::1$)/.test(host))
    throw refused(`${program} serves its health at ${host}, which kubelet can't reach: say health: { host: '0.0.0.0' }`)
}
