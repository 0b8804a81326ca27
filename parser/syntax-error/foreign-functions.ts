// SPDX-License-Identifier: Apache-2.0

// What the functions of other databases are here. All names are in lower case.

/** The same function with the same arguments under another name. */
export const RENAMED_FUNCTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    coalesce: 'ifnull nvl',
    length: 'len char_length character_length',
    substr: 'substring mid',
    upper: 'ucase',
    lower: 'lcase',
    trim: 'btrim',
    ceil: 'ceiling',
    extract: 'date_part',
    json_length: 'json_array_length jsonb_array_length',
    json_type: 'json_typeof jsonb_typeof',
    to_json: 'to_jsonb json_quote',
    uuid: 'gen_random_uuid uuid_generate_v4 newid',
    now: 'getdate sysdate clock_timestamp statement_timestamp transaction_timestamp localtimestamp utc_timestamp',
  }).flatMap(([here, elsewhere]) => elsewhere.split(' ').map((name) => [name, here] as const)),
)

const MOMENT = "a time is made from a text by '2026-01-31T12:00:00Z'::TIMESTAMP"
const SHOWN =
  "a time is shown as ISO text: placed::TEXT, or extract('year', placed) for a part of it"
const NOW = 'the moment is now(), its day now()::DATE'
const NO_FUNCTION_OF_SESSION = 'there is nothing of a session to ask for: GET / has the version'
const NO_LIST = 'rows are put together in the program: SCAN the values'
const NO_MEASURE =
  'of groups there are COUNT, SUM, MIN, MAX and AVG: SUM(a * a) helps to compute others'
const NO_WINDOW =
  'there are no window functions: ORDER BY … LIMIT, GROUP BY, or count in the program'
const NO_PATTERN = 'there are no regular expressions: LIKE, position, replace and substr'
const NO_ELEMENTS = 'there are no rows from a JSON: read it, and take it apart in the program'
const NO_ROUTINE = 'compute it in the program, and send it as a parameter'
const WRITTEN = 'RETURNING answers what was written: INSERT … RETURNING id'

/** What to do instead, as a sentence goes on after a colon, for those that are not only called otherwise. */
const OTHERWISE: ReadonlyArray<readonly [names: string, instead: string]> = [
  ['isnull', 'write a IS NULL, or coalesce(a, b)'],
  ['iif if decode', 'write CASE WHEN condition THEN a ELSE b END'],
  ['any some', 'write a IN :list'],
  ['all', 'write a NOT IN :list'],
  ['instr strpos charindex', 'write position(part, text)'],
  ['locate', 'write position(part, text)'],
  ['left', 'write substr(text, 1, count)'],
  ['right', 'write substr(text, length(text) - count + 1)'],
  [
    'octet_length datalength bit_length',
    'write length(a), which counts characters of TEXT and bytes of BYTES',
  ],
  ['concat_ws', "write a || ', ' || b, or concat(a, ', ', b), which leaves NULL out"],
  ['truncate', 'it is called trunc'],
  ['convert try_cast to_number', 'write CAST(a AS TEXT), or a::TEXT'],
  ['date datetime', `${NOW}; ${MOMENT}`],
  ['to_date to_timestamp str_to_date makedate make_timestamp from_unixtime', MOMENT],
  ['curdate curtime', NOW],
  ['strftime date_format to_char format_date', SHOWN],
  [
    'year month day hour minute second quarter week dayofweek weekday dayofyear',
    "write extract('year', time), and so for each part",
  ],
  ['unix_timestamp unixepoch julianday', "write extract('epoch', time)"],
  [
    'date_add date_sub dateadd adddate subdate',
    "write time + INTERVAL '1 day', or add_months(time, 1)",
  ],
  [
    'datediff timestampdiff age',
    "write time - time, an INTEGER of microseconds: / INTERVAL '1 day' counts days",
  ],
  [
    'json_extract json_value json_query jsonb_extract_path',
    "write json -> 'name', or json ->> 'name' as TEXT",
  ],
  ['json_unquote', "write json ->> 'name'"],
  ['jsonb_set json_replace json_insert jsonb_insert', "write json_set(json, '{name}', value)"],
  ['json_contains', 'write json @> \'{"name": 1}\''],
  [
    'json_object json_build_object jsonb_build_object json_array json_build_array',
    "write '{}'::JSON and json_set, or send it as a parameter",
  ],
  [
    'json_each json_table jsonb_array_elements json_array_elements unnest generate_series',
    NO_ELEMENTS,
  ],
  [
    'string_agg group_concat array_agg json_agg jsonb_agg json_object_agg json_group_array listagg',
    NO_LIST,
  ],
  ['stddev stddev_pop variance var_pop median mode percentile_cont', NO_MEASURE],
  ['total', 'write coalesce(SUM(a), 0)'],
  ['bool_or', 'write COUNT(*) FILTER (WHERE condition) > 0'],
  ['bool_and every', 'write COUNT(*) FILTER (WHERE NOT condition) = 0'],
  ['count_if countif', 'write COUNT(*) FILTER (WHERE condition)'],
  ['rollup cube', 'each grouping is a statement of its own'],
  ['row_number rank dense_rank lag lead ntile first_value last_value', NO_WINDOW],
  ['regexp_replace regexp_matches regexp_match regexp_like regexp_substr', NO_PATTERN],
  [
    'to_tsvector to_tsquery plainto_tsquery websearch_to_tsquery ts_rank match',
    "write text MATCH 'words', which finds rows by an index of WORDS, and ranks none",
  ],
  ['lpad rpad repeat reverse initcap split_part format printf chr ascii translate', NO_ROUTINE],
  [
    'md5 sha1 sha256 hex unhex encode decode_base64 random rand power pow sqrt ln exp log',
    NO_ROUTINE,
  ],
  ['typeof pg_typeof', 'write DESCRIBE table, which has the types of its columns'],
  ['last_insert_id last_insert_rowid lastval scope_identity changes row_count', WRITTEN],
  [
    'nextval currval',
    'a column GENERATED BY DEFAULT AS IDENTITY has the next number where it is left out; without gaps a row counts: SET n = coalesce(n, 0) + 1 ON counter WHERE … RETURNING n',
  ],
  [
    'version database current_database current_schema user current_user session_user connection_id pg_backend_pid',
    NO_FUNCTION_OF_SESSION,
  ],
  ['sleep pg_sleep benchmark', 'nothing waits in a statement'],
]

const INSTEAD: ReadonlyMap<string, string> = new Map(
  OTHERWISE.flatMap(([names, instead]) => names.split(' ').map((name) => [name, instead] as const)),
)

/** What to write instead of a function that is not there; undefined for one that nobody knows. */
export function insteadOfFunction(name: string): string | undefined {
  const here = RENAMED_FUNCTIONS.get(name)
  return here === undefined ? INSTEAD.get(name) : `it is called ${here}`
}
