import { get } from 'node:https'
import type { EmbeddedApiServer } from '@wherry/testing'

/** A document of OpenAPI: what `kubectl explain` reads. The embedded server does not have it. */
export async function openApi(
  { url, ca, token }: Pick<EmbeddedApiServer, 'url' | 'ca' | 'token'>,
  path: string,
): Promise<string> {
  const chunks: string[] = []
  const done = Promise.withResolvers<void>()
  get(new URL(path, url), { ca, headers: { authorization: `Bearer ${token}` }, agent: false }, response => {
    response
      .setEncoding('utf8')
      .on('data', chunk => chunks.push(chunk))
      .on('end', done.resolve)
  }).on('error', done.reject)
  await done.promise
  return chunks.join('')
}
