import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { LocalRegistry } from './registry.ts'

/** Publishes a tarball to a local registry by the request that `npm publish` sends, which takes a process of a second for each. */
export async function publishAtOnce({ url }: LocalRegistry, tarball: string): Promise<void> {
  const bytes = readFileSync(tarball)
  const text = execFileSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' })
  const manifest = JSON.parse(text) as { readonly name: string; readonly version: string }
  const { name, version } = manifest
  const file = `${name}-${version}.tgz`
  const dist = {
    tarball: `${url}/${name}/-/${file}`,
    shasum: createHash('sha1').update(bytes).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  }
  const document = {
    ...{ _id: name, name, access: 'public', 'dist-tags': { latest: version } },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
    _attachments: {
      [file]: { content_type: 'application/octet-stream', data: bytes.toString('base64'), length: bytes.length },
    },
  }
  const response = await fetch(`${url}/${encodeURIComponent(name)}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: 'Bearer nobody' },
    body: JSON.stringify(document),
  })
  if (!response.ok) throw new Error(`the registry does not take ${name}: ${response.status} ${await response.text()}`)
}
