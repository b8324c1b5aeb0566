import type { Credentials } from '../registry/credentials.ts'
import { Repository } from '../registry/repository.ts'
import { digestOf } from '../registry/verified.ts'

/** A registry to test with. */
export interface TestRegistry {
  /** With its port. */
  readonly host: string
  /** PEM. */
  readonly ca: string
  readonly credentials: Credentials
  /** Changes the bytes of a blob behind its back. */
  corrupt(digest: string, change: (bytes: Buffer) => Buffer): Promise<void>
  /** Makes it unreachable, until `start`, where it is at the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** Pushes content as the only layer of a manifest. Gives the digests of both. */
export async function push(
  registry: TestRegistry,
  repository: string,
  { content, mediaType, tag }: { readonly content: Buffer; readonly mediaType: string; readonly tag?: string },
): Promise<{ readonly manifest: string; readonly blob: string }> {
  const { host, ca, credentials } = registry
  const target = new Repository({ host, repository }, { ca, credentials })
  try {
    const manifest = await target.push({ content, mediaType, ...(tag !== undefined && { tag }) })
    return { manifest, blob: digestOf(content) }
  } finally {
    await target.close()
  }
}
