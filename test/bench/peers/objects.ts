/** Pods that run tasks, of a usual size. */
export function* podsThatRun(): Iterable<object> {
  for (let index = 0; index < 5_000; index++) {
    const env = Array.from({ length: 20 }, (_, at) => ({
      name: `VARIABLE_${at}`,
      value: `value ${at} of pod ${index}`,
    }))
    yield {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `task-${index}`, namespace: 'default', labels: { app: 'task-run', run: `${index}` } },
      spec: { containers: [{ name: 'task', image: 'task:1', env }], restartPolicy: 'Never' },
      status: { phase: 'Running' },
    }
  }
}

/** Tenants, and workspaces in one namespace. */
export function* tenantsAndWorkspaces(): Iterable<object> {
  const apiVersion = 'tenancy.example.com/v1'
  for (let index = 0; index < 500; index++) {
    const spec = { group: 'team', quota: { pods: '20' } }
    yield { apiVersion, kind: 'Tenant', metadata: { name: `t${index}` }, spec }
  }
  for (let index = 0; index < 2_000; index++) {
    const metadata = { name: `w${index}`, namespace: 'default' }
    yield { apiVersion, kind: 'Workspace', metadata, spec: { image: 'desk:1', storage: '1Gi' } }
  }
}
