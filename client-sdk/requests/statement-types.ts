// SPDX-License-Identifier: Apache-2.0
import type { Parameters, Row } from '../values.ts'
import type { RowOf } from './row-of.ts'
import type { Tables } from './table-types.ts'

/** What the compiler is told of one text: `percolite types --statements` asks the server for it. */
export type TextTypes = {
  /** What a row of its answer is. */
  readonly row: unknown
  /** `readonly []` where it has none. */
  readonly params: Parameters
}

/** The texts of `connect<Schema, Statements>()`. */
export type Texts<Known> = { readonly [Sql in keyof Known]: TextTypes }

/**
 * The row of a text: what `Said` has of it, else what it tells itself of a table of `Known`. Without both it is `Row`,
 * or `unknown` where the texts were said and this is none of them.
 */
export type RowOfText<
  Known extends Tables<Known>,
  Said extends Texts<Said>,
  Sql extends string,
> = Sql extends keyof Said ? Said[Sql]['row'] : Told<RowOf<Known, Sql>, Said>

type Told<Found, Said> = [keyof Said] extends [never] ? Found : Row extends Found ? unknown : Found

/** What stands after a text in a call: parameters where it has some, as it has them. */
export type After<Said extends Texts<Said>, Sql extends string, Options> = Sql extends keyof Said
  ? Said[Sql]['params'] extends readonly []
    ? [params?: Said[Sql]['params'], options?: Options]
    : [params: Said[Sql]['params'], options?: Options]
  : [params?: Parameters, options?: Options]

/** The same where the options have to be said. */
export type AfterWith<Said extends Texts<Said>, Sql extends string, Options> = [
  params: Sql extends keyof Said
    ? Said[Sql]['params'] | (Said[Sql]['params'] extends readonly [] ? undefined : never)
    : Parameters | undefined,
  options: Options,
]

/** The same where there are no options. */
export type AfterHook<Said extends Texts<Said>, Sql extends string> = Sql extends keyof Said
  ? Said[Sql]['params'] extends readonly []
    ? [params?: Said[Sql]['params']]
    : [params: Said[Sql]['params']]
  : [params?: Parameters]

/** In place of a row that a call does not say. */
declare const UNSAID: unique symbol
export type Unsaid = { readonly [UNSAID]: never }

export type Call<Options> = [sql: string, params?: Parameters, options?: Options]

export type CallWith<Options> = [sql: string, params: Parameters | undefined, options: Options]

/**
 * What a call is given that says its row: any text. Where texts were said and it does not say one, more than a call can
 * have, so that the compiler leaves this form out and reports what is wrong at the parameter that it is wrong with.
 */
export type AnyText<R, Said, Options, Form = Call<Options>> = [keyof Said] extends [never]
  ? Form
  : [R] extends [Unsaid]
    ? [never, never, never, never]
    : Form
