import { OptionTypeError } from '@wherry/client'

/** Checks a name that metrics, logs and events are to have. @throws OptionTypeError */
export function checkControllerName(name: unknown): void {
  if (typeof name === 'string' && /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(name)) return
  const takes = 'a name of letters, digits, -, _ and ., up to 63'
  throw new OptionTypeError('controller.name', takes, typeof name === 'string' ? JSON.stringify(name) : typeof name)
}
