import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '@wherry/cli'
import { type ApiServer, install, rolesIn } from '@wherry/testing'

const namespace = 'default'
const user = 'jane'

/** A Secret, and the right of the user Jane to read it. */
function objectsOfJane(): readonly object[] {
  const [rbac, name] = ['rbac.authorization.k8s.io', 'jane-reads']
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'of-jane' } },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { namespace, name } },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { namespace, name } },
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
    },
  ]
}

/** What a program got that read a Secret as Jane: with the rights of an administrator, and then with the roles that `--rbac` printed, and no others. */
export interface ActedAs {
  readonly roles: ReturnType<typeof rolesIn>
  /** What the program wrote in each run. */
  readonly written: readonly string[]
}

/** Audits a program that reads a Secret as another user, twice. */
export async function actAs(server: ApiServer): Promise<ActedAs> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-act-as-'))
  const program = join(import.meta.dirname, 'programs/read-as.ts')
  const command = [process.execPath, program, `/api/v1/namespaces/${namespace}/secrets/of-jane`, user, 'readers']
  const run = async (kubeconfig: object): Promise<{ stdout: string; stderr: string }> => {
    await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 })
    const printed = { stdout: '', stderr: '' }
    const outputOf = (name: keyof typeof printed) => ({ write: (text: string) => (printed[name] += text) })
    const host = { stdout: outputOf('stdout'), stderr: outputOf('stderr'), cwd: folder }
    await runCommand(['audit', '--kubeconfig', 'kubeconfig', '--rbac', '--', ...command], host)
    return printed
  }
  try {
    await install(server, ...objectsOfJane())
    const first = await run(server.kubeconfig)
    const roles = rolesIn(first.stdout)
    const { kubeconfig } = await server.account(roles, { name: 'acts-as' })
    const second = await run(kubeconfig)
    return { roles, written: [first.stderr, second.stderr] }
  } finally {
    await rm(folder, { recursive: true })
  }
}
