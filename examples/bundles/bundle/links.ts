import { posix } from 'node:path'
import { BundleError } from './errors.ts'

/** The folders that a bundle of the format `registry+v1` has in its image. */
const folders = ['manifests', 'metadata']

/** Whether a path is one of the bundle's folders, or in one. */
export function isOfBundle(path: string): boolean {
  return folders.some(folder => path === folder || path.startsWith(`${folder}/`))
}

/** A file of a bundle that is a link to another one. */
export class Link {
  readonly #path: string
  readonly #target: string
  readonly #shown: string

  private constructor(path: string, target: string, shown: string) {
    this.#path = path
    this.#target = target
    this.#shown = shown
  }

  /**
   * @param type as tar has it: the target of a `symlink` is relative to its folder, that of a `link` to the root of the archive
   * @throws BundleError for another type, and for a link that leads out of the bundle or stands for one of its folders
   */
  static of(path: string, type: string, target: string): Link {
    if (type !== 'symlink' && type !== 'link') {
      throw new BundleError('LinkInArchive', `${shown(path)} is a ${type}: only files and folders are unpacked`)
    }
    const base = type === 'symlink' && !target.startsWith('/') ? posix.dirname(path) : ''
    // A `..` above the root stays there, as it does in an image.
    const link = new Link(path, posix.join('/', base, target).slice(1), shown(target))
    if (folders.includes(path) || !isOfBundle(link.#target)) throw link.#refused()
    return link
  }

  /** The file that it is a link to. @throws BundleError if that is none of the bundle's files */
  followedIn(files: ReadonlyMap<string, Buffer | Link>): Buffer {
    const found = files.get(this.#target)
    if (Buffer.isBuffer(found)) return found
    throw this.#refused()
  }

  #refused(): BundleError {
    const what = `${shown(this.#path)} is a link to ${this.#shown}`
    return new BundleError('LinkInArchive', `${what}: a link in a bundle must lead to one of its files`)
  }
}

/** The files, and in the place of each link what it leads to. @throws BundleError for a link that leads to no file */
export function withoutLinks(files: ReadonlyMap<string, Buffer | Link>): ReadonlyMap<string, Buffer> {
  return new Map([...files].map(([path, file]) => [path, file instanceof Link ? file.followedIn(files) : file]))
}

/** A path from an archive, as messages quote it. */
export function shown(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path)
}
