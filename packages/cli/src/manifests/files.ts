import { relative } from 'node:path'
import { manifestsIn } from '../definitions-in.ts'
import { refused, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import type { DeclaredHealth } from '../program/declaration.ts'
import { definitionFiles } from '../program/definition-files.ts'
import { operatorRoles } from '../rbac/operator-roles.ts'
import type { RightsOptions } from '../rbac/rights-options.ts'
import { kustomizationYaml, manifestsYaml } from './documents.ts'
import { type ConversionStanza, noticesOf, type WebhookDetails, webhooksOf } from './webhook-details.ts'

/** The options that decide the contents of the files. */
export interface ManifestOptions extends RightsOptions {
  readonly name: string
  readonly image?: string
  readonly serviceMonitor?: true
  readonly networkPolicy?: true
  readonly out?: string
}

/** The contents of the files by name, the manifests first. Prints to stderr what a reliable Deployment still needs. */
export async function manifestFiles(
  program: string | undefined,
  options: ManifestOptions,
  host: CommandHost,
): Promise<Readonly<Record<string, string>>> {
  const { name, image = `${name}:latest`, serviceMonitor, networkPolicy, out = '.', crd, granted = [] } = options
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    throw wrongUsage(`--name ${name}: lower-case letters, digits and -, up to 63`)
  const { namespace = name, roles, program: run } = await operatorRoles(program, name, options, host)
  const { leader = false, processes, health } = run?.declaration ?? {}
  if (health === undefined) host.stderr.write(`wherry: no probes: ${program ?? 'no program'} serves no health\n`)
  else checkReachable(health, program ?? '')
  if (serviceMonitor && !health?.metrics)
    throw refused(`--service-monitor: ${program ?? 'no program'} serves no metrics`)
  const webhooks = run && webhooksOf(run.declaration, namespace, run.file)
  const manifests = manifestsYaml({
    ...{ name, namespace, image, roles, leader, processes, health, webhooks },
    ...{ hasServiceMonitor: serviceMonitor === true, hasNetworkPolicy: networkPolicy === true },
  })
  const others = [...(await definitionFiles(crd, host.cwd)), ...granted]
  const inside = others
    .map(file => relative(out, file).replaceAll('\\', '/'))
    // Kustomize reads no files outside its folder.
    .filter(file => !file.startsWith('../'))
  const conversions = await patchable(webhooks, crd, out, host)
  for (const line of noticesOf(webhooks)) host.stderr.write(`wherry: ${line}\n`)
  return {
    [`${name}.yaml`]: manifests,
    'kustomization.yaml': kustomizationYaml([...inside, `${name}.yaml`], conversions),
  }
}

/**
 * The conversions of definitions that are in the kustomization. Other definitions can't be patched there: the operator sets their conversion, and a message
 * reports that.
 */
async function patchable(
  webhooks: WebhookDetails | undefined,
  crd: string,
  out: string,
  host: CommandHost,
): Promise<readonly ConversionStanza[]> {
  if (webhooks === undefined || webhooks.conversions.length === 0) return []
  const files = (await definitionFiles(crd, host.cwd)).filter(file => !relative(out, file).startsWith('..'))
  const found = await Promise.all(files.map(file => manifestsIn(file, host)))
  const names = new Set(found.flatMap(({ definitions }) => definitions).map(({ metadata }) => metadata?.name))
  for (const { definition } of webhooks.conversions.filter(one => !names.has(one.definition)))
    host.stderr.write(
      `wherry: no conversion in kustomization.yaml: ${definition} is in no file of ${crd} below ${out}\n`,
    )
  return webhooks.conversions.filter(({ definition }) => names.has(definition))
}

/** Checks that the kubelet can reach the probes. It sends requests from outside of the pod, to a port that the Deployment names. */
function checkReachable({ host, port }: DeclaredHealth, program: string): void {
  if (port === 0) throw refused(`${program} serves its health at a free port: name one, such as health: { port: 8080 }`)
  if (/^(127\.|localhost$|::1$)/.test(host))
    throw refused(`${program} serves its health at ${host}, which kubelet can't reach: say health: { host: '0.0.0.0' }`)
}
