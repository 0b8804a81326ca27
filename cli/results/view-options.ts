// SPDX-License-Identifier: Apache-2.0
import type { Call, Flags, Output } from '../command.ts'
import { MODES, type Mode, type ViewOptions } from './view.ts'

/** How rows are printed: of every command that prints some. */
export const VIEW_FLAGS: Flags = {
  mode: {
    kind: 'choice',
    choices: ['auto', ...MODES],
    default: 'auto',
    meaning: 'form of the rows; auto: table or ndjson',
  },
  quiet: { kind: 'switch', default: 'false', meaning: 'print rows, and not how many they are' },
  'no-color': { kind: 'switch', default: 'false', meaning: 'no colours; NO_COLOR does the same' },
}

/** A table for people, and a row on each line for programs. */
export function modeOf(call: Call, output: Output): Mode {
  const chosen = call.text('mode')
  if (chosen !== 'auto') return chosen as Mode
  return output.isTTY ? 'table' : 'ndjson'
}

/** Colours are for terminals, unless they are not wanted. */
export function viewOptionsOf(call: Call, output: Output): ViewOptions {
  const isPlain = call.isOn('no-color') || Boolean(call.environment.NO_COLOR)
  return { hasColor: output.isTTY === true && !isPlain, isQuiet: call.isOn('quiet') }
}
