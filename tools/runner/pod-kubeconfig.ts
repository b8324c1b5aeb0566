import { writeFile } from 'node:fs/promises'
import type { ApiServer } from '@wherry/testing'

/** Writes a kubeconfig with a pod's token, and with its namespace: that of its Deployment. */
export async function writePodKubeconfig(
  file: string,
  { kubeconfig }: Pick<ApiServer, 'kubeconfig'>,
  { token, namespace }: { readonly token: string; readonly namespace: string },
): Promise<void> {
  const users = kubeconfig.users.map(({ name }) => ({ name, user: { token } }))
  const contexts = kubeconfig.contexts.map(({ name, context }) => ({ name, context: { ...context, namespace } }))
  await writeFile(file, JSON.stringify({ ...kubeconfig, users, contexts }), { mode: 0o600 })
}
