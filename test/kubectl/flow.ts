/** One command of a flow. */
export interface Command {
  /** As it is typed after `kubectl`; texts with blanks in single quotes, and `$name` for what an earlier command said. */
  readonly args: string
  readonly stdin?: string | undefined
  /** For `kubectl edit`: what sed does to the file. */
  readonly edit?: string | undefined
  /**
   * What the server takes a while to come to: the command is repeated until it prints this, on each server for itself.
   * For `meanwhile`: what it has to print before the command is ended.
   */
  readonly until?: RegExp | undefined
  /** Commands that are run after this one has printed `from`, while it goes on; it is interrupted when it has printed `until`. */
  readonly meanwhile?: readonly string[] | undefined
  /** @default anything */
  readonly from?: RegExp | undefined
  /** The name that what it prints has from here on. */
  readonly save?: string | undefined
}

/** Commands that depend on each other. They run one after another in a namespace of the flow's own; flows run at once. */
export interface Flow {
  /** Names the namespace too. */
  readonly name: string
  /** The files in the folder that the commands run in, besides the manifests that several flows share. Objects are written as JSON. */
  readonly files?: Readonly<Record<string, string | object>> | undefined
  readonly commands: readonly (string | Command)[]
  /** Whether it shows what other flows change too: it runs when they are over. @default false */
  readonly alone?: boolean | undefined
}

/** `text` as a shell takes it apart: at blanks, but not in single quotes. */
export function split(text: string): string[] {
  return [...text.matchAll(/(?:[^\s']+|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''))
}
