// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises'
import type { Sample } from './sample.ts'

/** Of all cores since the machine was started, in ticks of its clock. */
export type ProcessorTime = {
  /** In which somebody had work for a core, whether it got one or not. */
  readonly wanted: number
  /** That part of it which the host of a virtual machine gave to others instead. */
  readonly stolen: number
}

/** Undefined where the system does not tell (Linux does). */
export async function processorTime(): Promise<ProcessorTime | undefined> {
  try {
    return parseProcessorTime(await readFile('/proc/stat', 'utf8'))
  } catch {
    return undefined
  }
}

/** The first line: `cpu`, then user, nice, system, idle, iowait, irq, softirq and steal (proc_stat(5)). */
export function parseProcessorTime(stat: string): ProcessorTime | undefined {
  const [name, ...ticks] = (stat.split('\n')[0] as string).split(/ +/)
  if (name !== 'cpu' || ticks.length < 8) return undefined
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = ticks.map(Number)
  return { wanted: user + nice + system + irq + softirq + stolen, stolen }
}

/** Between two moments, from 0 to 1; 0 where nobody wanted any. */
export function stolenShare(before: ProcessorTime, after: ProcessorTime): number {
  const wanted = after.wanted - before.wanted
  return wanted > 0 ? (after.stolen - before.stolen) / wanted : 0
}

/** Less of it is lost in how far samples lie apart anyway. */
const TOLERABLE_SHARE = 0.1

const DISTURBANCE = 'more than a tenth of the processor time that was wanted to others'

type MaybeDisturbed = Pick<Sample, 'stolenShare'>

/** 0 where the system does not tell. */
const shareLostBy = ({ stolenShare = 0 }: MaybeDisturbed): number => stolenShare
const isDisturbed = (sample: MaybeDisturbed) => shareLostBy(sample) > TOLERABLE_SHARE

/** What a report says of samples that were taken again; undefined where none was. */
export function retakesNote(retakes: number): string | undefined {
  if (retakes === 0) return undefined
  const samples = retakes === 1 ? '1 sample was' : `${retakes} samples were`
  return `${samples} taken again, because the host of this virtual machine had given ${DISTURBANCE}.`
}

/** What a report says of these samples; undefined where nothing is to be said. */
export function stolenTimeWarning(samples: readonly MaybeDisturbed[]): string | undefined {
  const disturbed = samples.filter(isDisturbed)
  if (disturbed.length === 0) return undefined
  const worst = Math.round(Math.max(...disturbed.map(shareLostBy)) * 100)
  return `In ${disturbed.length} of ${samples.length} samples the host of this virtual machine gave ${DISTURBANCE} (${worst} % in the worst): absolute figures are too low, and ratios that many of these samples are in say nothing.`
}

/** A machine that is disturbed for so long is left to the warning in the report. */
const TRIES_MAX = 3

/**
 * Takes samples, and again those during which the host of a virtual machine took processor time away:
 * for a few seconds at a time one neighbour has the machine and the other has not, and their ratio says
 * nothing. What a sample measured has no part in whether it is taken again.
 */
export class UndisturbedSamples {
  readonly #retakesMax: number
  readonly #processorTime: () => Promise<ProcessorTime | undefined>
  #retakes = 0

  /** `retakesMax` of all samples together, so that a run has an end. */
  constructor(retakesMax: number, processorTime: () => Promise<ProcessorTime | undefined>) {
    this.#retakesMax = retakesMax
    this.#processorTime = processorTime
  }

  get retakes(): number {
    return this.#retakes
  }

  /** The sample that lost least, with the share that it lost; the last one where they lost the same. */
  async take(run: (isRetake: boolean) => Promise<Sample>): Promise<Sample> {
    let best = await this.#withStolenShare(() => run(false))
    for (let tries = 1; tries < TRIES_MAX && this.#retakes < this.#retakesMax; tries += 1) {
      if (!isDisturbed(best)) break
      this.#retakes += 1
      const other = await this.#withStolenShare(() => run(true))
      if (shareLostBy(other) <= shareLostBy(best)) best = other
    }
    return best
  }

  async #withStolenShare(run: () => Promise<Sample>): Promise<Sample> {
    const before = await this.#processorTime()
    const sample = await run()
    const after = await this.#processorTime()
    if (before === undefined || after === undefined) return sample
    return { ...sample, stolenShare: stolenShare(before, after) }
  }
}
