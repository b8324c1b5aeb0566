import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { systemClock } from '@wherry/client/internal'
import { secrets } from '@wherry/client/resources/core'
import { clusterApiSecrets, kubeconfigFiles, kubeconfigSecrets } from '@wherry/controller/clusters'
import { expect, it, vi } from 'vitest'
import { finding } from './testkit/finding.ts'
import { inFleet, kubeconfigOf } from './testkit/fleet.ts'

it('finds the Secrets of Cluster API by their label and their name', () =>
  inFleet([], async ({ home, simulation }) => {
    const label = 'cluster.x-k8s.io/cluster-name'
    const make = (namespace: string, name: string, cluster?: string): Promise<unknown> =>
      home.create(secrets, {
        metadata: { name, namespace, ...(cluster && { labels: { [label]: cluster } }) },
        data: { value: Buffer.from('text').toString('base64') },
      })
    for (const namespace of ['default', 'kube-system']) {
      await make(namespace, 'prod-kubeconfig', 'prod')
      await make(namespace, 'prod-ca', 'prod')
      await make(namespace, 'other-kubeconfig')
    }
    const all = finding(clusterApiSecrets(), home)
    const one = finding(clusterApiSecrets({ namespace: 'kube-system' }), home)
    await simulation.advance(5000)
    expect(all.events.toSorted()).toEqual([
      'default/prod secret default/prod-kubeconfig, data.value',
      'kube-system/prod secret kube-system/prod-kubeconfig, data.value',
    ])
    expect(one.events).toEqual(['prod secret kube-system/prod-kubeconfig, data.value'])
    await home.patch(
      secrets,
      { namespace: 'default', name: 'prod-kubeconfig' },
      { metadata: { labels: { [label]: 'dev' } } },
    )
    await simulation.advance(5000)
    await home.delete(secrets, { namespace: 'default', name: 'prod-kubeconfig' })
    await simulation.advance(5000)
    expect(all.events.slice(2)).toEqual(['default/prod is removed'])
    await home.delete(secrets, { namespace: 'kube-system', name: 'prod-ca' })
    await home.delete(secrets, { namespace: 'kube-system', name: 'prod-kubeconfig' })
    await simulation.advance(5000)
    expect(one.events.slice(1)).toEqual(['prod is removed'])
    await Promise.all([all.stop(), one.stop()])
  }))

it('finds Secrets by a label and a key of your own, and removes a cluster that loses the label', () =>
  inFleet([], async ({ home, simulation }) => {
    const metadata = { name: 'eu', namespace: 'default', labels: { fleet: 'games' } }
    await home.create(secrets, { metadata, data: { config: Buffer.from('text').toString('base64') } })
    const provider = kubeconfigSecrets({ namespace: 'default', labels: 'fleet=games', key: 'config' })
    const { events, stop } = finding(provider, home)
    await simulation.advance(5000)
    await home.patch(secrets, metadata, { metadata: { labels: { fleet: 'other' } } })
    await simulation.advance(5000)
    expect(events).toEqual(['eu secret default/eu, data.config', 'eu is removed'])
    await stop()
  }))

it('declares the rights that a provider of Secrets needs', () => {
  const by = 'clusters: secrets with kubeconfigs'
  const right = { group: '', resource: 'secrets', namespace: 'fleet', by }
  expect(kubeconfigSecrets({ namespace: 'fleet' }).rights).toMatchObject([
    { verb: 'list', ...right },
    { verb: 'watch', ...right },
  ])
})

it('M1: removes the cluster of a file only if the folder was read and lacks it, and reports a failure once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-'))
  const errors: string[] = []
  const onError = (error: Error): void => void errors.push((error as NodeJS.ErrnoException).code ?? error.message)
  let looks = 0
  const system = systemClock()
  const timer = (ms: number, then: () => void): ReturnType<typeof system.timer> => {
    if (ms === 5) looks += 1
    return system.timer(ms, then)
  }
  const clock = { ...system, timer }
  const client = new Client({ url: 'http://127.0.0.1:1', environment: { onError, clock } })
  const lookAgain = (): Promise<void> => {
    const before = looks
    return vi.waitFor(() => expect(looks).toBeGreaterThan(before + 3))
  }
  const clusters = join(folder, 'clusters')
  const { events, stop } = finding(kubeconfigFiles(clusters, { pollMs: 5 }), client)
  /** The provider never sees a part of the text. */
  const put = async (name: string, text: string): Promise<void> => {
    await writeFile(join(clusters, '.new'), text)
    await rename(join(clusters, '.new'), join(clusters, name))
  }
  try {
    await mkdir(join(clusters, 'folder'), { recursive: true })
    await writeFile(join(folder, 'us'), kubeconfigOf('us', { token: 'a' }))
    await symlink(join(folder, 'us'), join(clusters, 'us'))
    await put('eu', kubeconfigOf('eu', { tokenFile: 'token' }))
    await writeFile(join(clusters, '.hidden'), 'nothing')
    const seen = (...lines: readonly unknown[]): Promise<void> =>
      vi.waitFor(() => expect(events.toSorted()).toEqual(lines))
    await seen('eu https://eu.example.com/', 'us https://us.example.com/')
    events.length = 0
    errors.length = 0
    await rename(clusters, `${clusters}.away`)
    await lookAgain()
    expect(errors).toEqual(['ENOENT'])
    await rename(`${clusters}.away`, clusters)
    await lookAgain()
    await rename(clusters, `${clusters}.away`)
    await lookAgain()
    expect(errors).toEqual(['ENOENT', 'ENOENT'])
    await rename(`${clusters}.away`, clusters)
    await lookAgain()
    // Between the reading of the folder and that of a file, the folder may go.
    expect(events.filter(event => !event.includes('ENOENT'))).toEqual([])
    events.length = 0
    // A link to nothing, then to a folder.
    await rename(join(folder, 'us'), join(folder, 'away'))
    await lookAgain()
    await seen(expect.stringMatching(/^us is invalid: ENOENT/))
    await mkdir(join(folder, 'us'))
    await lookAgain()
    await seen(expect.stringMatching(/^us is invalid: EISDIR/), expect.stringMatching(/^us is invalid: ENOENT/))
    events.length = 0
    await rm(join(folder, 'us'), { recursive: true })
    await rename(join(folder, 'away'), join(folder, 'us'))
    await lookAgain()
    // The text is as it was, so the connection is the former one.
    expect(events.filter(event => !event.includes('ENOENT'))).toEqual([])
    events.length = 0
    await put('eu', kubeconfigOf('eu2', { token: 'a' }))
    await vi.waitFor(() => expect(events).toContain('eu https://eu2.example.com/'))
    events.length = 0
    await rm(join(clusters, 'us'))
    // Between the reading of the folder and that of the file, it can't be read.
    await vi.waitFor(() => expect(events.at(-1)).toBe('us is removed'))
    events.length = 0
    await put('eu', 'a: "')
    await lookAgain()
    await seen(expect.stringMatching(/^eu is invalid: .*clusters[/\\]eu can't be read as a kubeconfig: MISSING_CHAR$/))
  } finally {
    await stop()
    await client.close()
    await rm(folder, { recursive: true })
  }
})

it('X6: refuses options that are wrong', () => {
  expect(() => kubeconfigSecrets({ label: 'a' } as never)).toThrow('kubeconfigSecrets.label')
  expect(() => clusterApiSecrets({ key: 'a' } as never)).toThrow('clusterApiSecrets.key')
  expect(() => kubeconfigFiles(undefined as never)).toThrow('kubeconfigFiles.folder takes')
  expect(() => kubeconfigFiles('a', { pollMs: 0 })).toThrow('kubeconfigFiles.pollMs takes')
})
