import type { CompletedCommand, CompletedOption, Shell, Values } from './completed.ts'

/** The script for bash 3.2 and later. If the script completes nothing, bash completes file names. */
function bashScript(commands: readonly CompletedCommand[]): string {
  const reply = (values: Values): string => {
    if (values === 'file') return 'COMPREPLY=()'
    if (values === 'folder') return `COMPREPLY=($(compgen -d -- "$word")); compopt -o filenames 2>/dev/null`
    return `COMPREPLY=($(compgen -W ${sh(values.join('\n'))} -- "$word"))`
  }
  const ofOptions = commands.flatMap(({ name, options }) =>
    options.flatMap(({ flag, values }) =>
      values ? [`    ${sh(`${name} ${flag}`)}) ${reply(values)}; return ;;`] : [],
    ),
  )
  const ofCommands = commands.map(({ name, options, values }) => {
    const flags = reply(options.map(({ flag }) => flag))
    return `    ${name}) if [[ $word == -* ]]; then ${flags}; else ${reply(values)}; fi ;;`
  })
  return `_wherry() {
  local IFS=$'\\n' word=\${COMP_WORDS[COMP_CWORD]}
  if ((COMP_CWORD == 1)); then
    ${reply(commands.map(({ name }) => name))}
    return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${ofOptions.join('\n')}
  esac
  case \${COMP_WORDS[1]} in
${ofCommands.join('\n')}
  esac
}
complete -o default -F _wherry wherry
`
}

/** For zsh, after `compinit`. */
function zshScript(commands: readonly CompletedCommand[]): string {
  const action = (values: Values): string => {
    if (values === 'file') return '_files'
    return values === 'folder' ? '_files -/' : `(${values.join(' ')})`
  }
  const option = ({ flag, description, values }: CompletedOption): string =>
    sh(`${flag}[${zshText(description)}]${values ? `:value:${action(values)}` : ''}`)
  const ofCommands = commands.map(
    ({ name, options, values }) =>
      `    ${name}) _arguments ${[...options.map(option), sh(`*:argument:${action(values)}`)].join(' ')} ;;`,
  )
  const names = commands.map(({ name, description }) => sh(`${name}:${zshText(description)}`))
  return `#compdef wherry
_wherry() {
  if ((CURRENT == 2)); then
    local -a commands=(${names.join(' ')})
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${ofCommands.join('\n')}
  esac
}
compdef _wherry wherry
`
}

/** For fish 3 and later. */
function fishScript(commands: readonly CompletedCommand[]): string {
  const action = (values: Values): string => {
    if (values === 'file') return ' -F'
    return values === 'folder' ? " -f -a '(__fish_complete_directories)'" : ` -f -a ${fish(values.join(' '))}`
  }
  const ofCommand = ({ name, description, options, values }: CompletedCommand): string[] => {
    const after = `complete -c wherry -n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c wherry -n __fish_use_subcommand -f -a ${name} -d ${fish(description)}`,
      ...(typeof values === 'string' ? [] : [`${after}${action(values)}`]),
      ...options.map(
        one =>
          `${after} -l ${one.flag.replace(/^-+/, '')} -d ${fish(one.description)}${one.values ? ` -r${action(one.values)}` : ''}`,
      ),
    ]
  }
  return `${commands.flatMap(ofCommand).join('\n')}\n`
}

/** The script of a shell. */
export function scriptFor(shell: Shell, commands: readonly CompletedCommand[]): string {
  if (shell === 'bash') return bashScript(commands)
  return shell === 'zsh' ? zshScript(commands) : fishScript(commands)
}

/** A text as a word of bash and zsh. */
function sh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Escapes a description for zsh, because brackets and colons have a meaning there. */
function zshText(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&')
}

/** A text as a word of fish. */
function fish(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
