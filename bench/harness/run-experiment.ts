// SPDX-License-Identifier: Apache-2.0

import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender, Experiment, OpenContender } from './experiment.ts'
import type { Progress } from './progress.ts'
import type { Sample } from './sample.ts'
import { type ProcessorTime, processorTime, UndisturbedSamples } from './stolen-time.ts'

export type RunSettings = {
  readonly seconds: number
  readonly repetitions: number
  /** Where the temporary folders are made. */
  readonly dataFolder: string
  readonly signal: AbortSignal
  readonly progress: Progress
  /** What the system tells of it when absent. */
  readonly processorTime?: () => Promise<ProcessorTime | undefined>
}

export type MeasuredExperiment = {
  readonly experiment: Experiment
  /** By contender, in the experiment's order; one sample for each repetition. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>
  /** How many samples were taken again, because the host of the machine had disturbed them. */
  readonly retakes: number
  /** From the first preparation to the last thing that was closed. */
  readonly tookSeconds: number
}

type Opened = { readonly contender: Contender; readonly open: OpenContender }

/** What opening a contender is taken to last, before anything is known. */
const OPENING_MS = 500

/** Of all samples of an experiment, how many may be taken again. */
const RETAKEN_SHARE_MAX = 0.25

/**
 * Opens all contenders, warms each up once, and then lets them run in turn: A B C, C B A, B C A, A C B.
 * So each ratio has neighbours in time, nobody is always first, and nobody always comes after the same
 * one and pays for what that left behind. Everything that was opened is closed
 * again, in reverse, whatever happens. Rejects with the signal's reason when it is aborted.
 */
export async function runExperiment(
  experiment: Experiment,
  settings: RunSettings,
): Promise<MeasuredExperiment> {
  const { signal } = settings
  const folders = new TemporaryFolders(settings.dataFolder)
  const opened: Opened[] = []
  const startedMs = performance.now()
  const cleanUp = async () => {
    try {
      await closeAll(opened.toReversed())
    } finally {
      await folders.removeAll()
    }
  }
  let measured: Omit<MeasuredExperiment, 'tookSeconds'>
  try {
    for (const contender of experiment.contenders) {
      signal.throwIfAborted()
      opened.push({
        contender,
        open: await openContender(experiment, contender, settings, folders),
      })
    }
    measured = await measure(experiment, opened, settings)
  } catch (error) {
    // What cannot be closed after a failure says less than the failure.
    await cleanUp().catch(() => {})
    throw error
  }
  await cleanUp()
  return { ...measured, tookSeconds: (performance.now() - startedMs) / 1000 }
}

/** Each of them, also when one cannot be closed; rejects with why the last of those could not. */
async function closeAll([first, ...others]: readonly Opened[]): Promise<void> {
  if (first === undefined) return
  try {
    await first.open.close()
  } finally {
    await closeAll(others)
  }
}

/** Tells the progress line what is coming, so that it can say how long it will take. */
export function planExperiment(experiment: Experiment, settings: RunSettings): void {
  const { seconds, repetitions, warmUpSeconds, pauseSeconds } = sizeOf(experiment, settings)
  const count = experiment.contenders.length
  const runs = repetitions + (warmUpSeconds > 0 ? 1 : 0)
  const pausesSeconds = runs * pauseSeconds
  const runsMs = (repetitions * seconds + warmUpSeconds + pausesSeconds) * 1000
  settings.progress.plan(count * (1 + runs), count * (runsMs + OPENING_MS))
}

async function openContender(
  experiment: Experiment,
  contender: Contender,
  { signal, progress }: RunSettings,
  folders: TemporaryFolders,
): Promise<OpenContender> {
  progress.begin(`${experiment.name}: prepares ${contender.name}`)
  const open = await contender.open({
    signal,
    say: (text) => progress.say(text),
    temporaryFolder: (name) => folders.make(name),
  })
  progress.done(OPENING_MS)
  return open
}

async function measure(
  experiment: Experiment,
  opened: readonly Opened[],
  settings: RunSettings,
): Promise<Omit<MeasuredExperiment, 'tookSeconds'>> {
  const { signal, progress } = settings
  const { seconds, repetitions, warmUpSeconds, pauseSeconds } = sizeOf(experiment, settings)
  const samples = new Map(opened.map(({ contender }) => [contender.name, [] as Sample[]]))
  const runOne = async ({ contender, open }: Opened, what: string, forSeconds: number) => {
    progress.begin(`${experiment.name}, ${what}: ${contender.name}`)
    await sleep(pauseSeconds * 1000, undefined, { signal }).catch(() => {})
    signal.throwIfAborted()
    const sample = await open.run(forSeconds, signal)
    // A stretch that was cut short is no sample.
    signal.throwIfAborted()
    progress.done((pauseSeconds + forSeconds) * 1000)
    return sample
  }
  if (warmUpSeconds > 0) {
    for (const one of opened) await runOne(one, 'warm-up', warmUpSeconds)
  }
  // What has no warm-up cannot be repeated.
  const retakesMax =
    warmUpSeconds > 0 ? Math.floor(opened.length * repetitions * RETAKEN_SHARE_MAX) : 0
  const undisturbed = new UndisturbedSamples(retakesMax, settings.processorTime ?? processorTime)
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const what = `repetition ${repetition + 1} of ${repetitions}`
    for (const one of orderOf(opened, repetition)) {
      const sample = await undisturbed.take((isRetake) => {
        if (!isRetake) return runOne(one, what, seconds)
        progress.plan(1, (pauseSeconds + seconds) * 1000)
        return runOne(one, `${what} again, the host took processor time`, seconds)
      })
      samples.get(one.contender.name)?.push(sample)
    }
  }
  return { experiment, samples, retakes: undisturbed.retakes }
}

function sizeOf(experiment: Experiment, settings: RunSettings) {
  const seconds = experiment.seconds ?? settings.seconds * (experiment.secondsFactor ?? 1)
  // A trial with short samples has short warm-ups and pauses too.
  const isTrial = seconds < 0.5
  return {
    seconds,
    repetitions: experiment.repetitions ?? settings.repetitions,
    warmUpSeconds: Math.min(experiment.warmUpSeconds ?? 1, isTrial ? seconds : seconds * 3),
    pauseSeconds: Math.min(
      experiment.pauseSeconds ?? 0,
      isTrial ? seconds : Number.POSITIVE_INFINITY,
    ),
  }
}

/** Rotated by one after every two repetitions; the second of the two runs backwards. */
function orderOf<T>(items: readonly T[], repetition: number): T[] {
  const start = Math.floor(repetition / 2) % items.length
  const forwards = [...items.slice(start), ...items.slice(0, start)]
  return repetition % 2 === 0 ? forwards : forwards.reverse()
}

/** The folders of one experiment; what was made is removed with it. */
class TemporaryFolders {
  readonly #parent: string
  readonly #made: string[] = []

  /** `parent` should lie on a real disk: on a memory file system nothing is durable. */
  constructor(parent: string) {
    this.#parent = parent
  }

  async make(name: string): Promise<string> {
    const folder = await mkdtemp(join(this.#parent, `percolite-bench-${name}-`))
    this.#made.push(folder)
    return folder
  }

  async removeAll(): Promise<void> {
    for (const folder of this.#made.splice(0)) await rm(folder, { recursive: true, force: true })
  }
}
