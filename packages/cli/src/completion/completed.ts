import type { Command } from 'commander'

/** The shells that there is a script for. */
export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/** What may stand at a place of a command line. */
export type Values = 'file' | 'folder' | readonly string[]

/** An option as it is completed. */
export interface CompletedOption {
  /** With its dashes: `--out`. */
  readonly flag: string
  readonly description: string
  /** What comes after it; undefined for an option without a value. */
  readonly values: Values | undefined
}

/** A command as it is completed. */
export interface CompletedCommand {
  readonly name: string
  readonly description: string
  readonly options: readonly CompletedOption[]
  /** What may stand for its arguments. */
  readonly values: Values
}

/** The commands of a program, as its parser knows them. */
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
