// SPDX-License-Identifier: Apache-2.0
import type { DefinedObserver } from './define-observer.ts'
import { type InProcessDependencies, InProcessObservers } from './in-process-observers.ts'
import { type ScheduleDependencies, ScheduleTimer } from './schedule-timer.ts'

/** What a server runs by itself: its schedules, and the functions of its observers. */
export class OwnRuns {
  readonly schedules: ScheduleTimer
  readonly #observers: InProcessObservers

  constructor(deps: InProcessDependencies & ScheduleDependencies) {
    this.schedules = new ScheduleTimer(deps)
    this.#observers = new InProcessObservers(deps)
  }

  start(observers: readonly DefinedObserver[]): void {
    this.schedules.start()
    this.#observers.start(observers)
  }

  /** Takes nothing new, and resolves when what is under way has ended. */
  async stop(): Promise<void> {
    await Promise.all([this.schedules.stop(), this.#observers.stop()])
  }
}
