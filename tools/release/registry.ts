import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runServer } from 'verdaccio'
import { publishedPackages } from '../workspace.ts'

/** A registry of npm packages on this machine, which anybody may publish to. Other packages come from npm's own registry. */
export interface LocalRegistry extends AsyncDisposable {
  readonly url: string
  /** A file for `npm_config_userconfig`, by which npm reads all packages there, and publishes. */
  readonly npmrc: string
  /** The line of an npmrc by which only packages of the scope come from there. */
  readonly scoped: string
}

/** Starts a registry at a port of 127.0.0.1, by default a free one. It forgets everything when it is disposed of. */
export async function startRegistry(wanted: number = 0): Promise<LocalRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-registry-'))
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const everybody = { access: '$all', publish: '$all', unpublish: '$all' }
  const ours = Object.fromEntries(publishedPackages().map(({ name }) => [name, everybody]))
  const app = (await runServer({
    self_path: folder,
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    uplinks: { npm: { url: upstream, timeout: '60s', maxage: '60m' } },
    packages: { ...ours, '**': { access: '$all', proxy: 'npm' } },
    log: { type: 'stdout', level: 'fatal' },
    max_body_size: '100mb',
    // Its type is of the whole configuration, and most of that has defaults.
  } as unknown as Parameters<typeof runServer>[0])) as Server
  app.listen(wanted, '127.0.0.1')
  await once(app, 'listening')
  const { port } = app.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const npmrc = join(folder, 'npmrc')
  // npm publishes only with some token.
  writeFileSync(npmrc, `registry=${url}/\n//127.0.0.1:${port}/:_authToken=nobody\naudit=false\nfund=false\n`)
  return {
    url,
    npmrc,
    scoped: `@wherry:registry=${url}/`,
    async [Symbol.asyncDispose]() {
      const closed = once(app, 'close')
      app.close()
      app.closeAllConnections()
      await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
