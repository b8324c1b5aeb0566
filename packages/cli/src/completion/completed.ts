import type { Command } from 'commander'

/** The shells that have a script. */
export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/** The values that a place of a command line may have. */
export type Values = 'file' | 'folder' | readonly string[]

/** An option to complete. */
export interface CompletedOption {
  /** The name of the option with its dashes: `--out`. */
  readonly flag: string
  readonly description: string
  /** The values of the option; undefined for an option without a value. */
  readonly values: Values | undefined
}

/** A command to complete. */
export interface CompletedCommand {
  readonly name: string
  readonly description: string
  readonly options: readonly CompletedOption[]
  /** The values of the arguments. */
  readonly values: Values
}

/** The commands of a program, from its parser. */
export function completed(program: Command): readonly CompletedCommand[] {
  return program.commands.map(command => ({
    name: command.name(),
    description: command.description(),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map(({ long, short, description, flags, argChoices, required, optional }) => ({
        flag: long ?? short ?? '',
        description,
        values: required || optional ? (argChoices ?? (flags.includes('<folder>') ? 'folder' : 'file')) : undefined,
      })),
    values: command.registeredArguments[0]?.argChoices ?? 'file',
  }))
}
