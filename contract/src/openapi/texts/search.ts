import { operations as embeddings } from '../../operations/embeddings.ts';
import * as embedding from '../../shapes/embedding.ts';
import * as search from '../../shapes/search.ts';
import * as evaluation from '../../shapes/search-evaluation.ts';
import { texts } from './property-texts.ts';

const FIRST_OF = { total: 'How many there are.', items: 'The first of them.' };
const QUERY_CHANGE = {
  query: 'The text that was searched.',
  ndcg: [
    'NDCG of the first 10 hits, from 0 to 1.',
    { now: 'In this run.', before: 'In the run before.' },
  ],
  rank: [
    'Rank of the first relevant hit; null if none of the first 10 is relevant.',
    { now: 'In this run.', before: 'In the run before.' },
  ],
} as const;

/** Search: what is found and how, synonyms, vectors, and how good it is. */
export const searchTexts = [
  ...texts(search.searchSettings, {
    types: [
      'Settings by the name of the type; a type that is left out is not searched.',
      {
        searchable: 'Whether nodes of the type are found; false keeps the settings for later.',
        language:
          'Language of the texts: ISO 639-1, `--` to compare words as they are written, or `auto` to find out from each text.',
        weight: 'How much the type counts among nodes of the same name; by default 1.',
        fields: [
          'Settings by the name of the field; a field that is left out is not searched.',
          {
            text: [
              'Searches the words of the field; left out, they are not searched.',
              {
                boost: 'How much a hit in the field counts, compared to a field with 1.',
                language: 'Language of the field, if it is not that of the type.',
              },
            ],
            vector: [
              'Finds nodes by the meaning of the field; left out, it does not.',
              {
                model:
                  'Model that makes the vectors; by default that of the provider of embeddings. For a list of numbers: what made them.',
                chunk: 'Characters at most of a piece of text that gets a vector of its own.',
              },
            ],
            facet: 'Whether a search may have the values of the field counted over all hits.',
          },
        ],
      },
    ],
  }),
  ...texts(search.searchIndexState, {
    sequence: 'Everything up to this sequence can be found; null while the first index is built.',
    documents: 'How many nodes are in the index.',
    segments: 'How many segments the index consists of.',
    bytes: 'Bytes of the index in memory.',
    bytesOnDisk: 'Bytes of the index that are read from files.',
    rebuild: [
      'What is being indexed again; null if nothing is. What was indexed before is still found.',
      {
        types: 'Names of the types that are indexed again.',
        done: 'How many nodes are done.',
        total: 'How many nodes there are to do.',
      },
    ],
    vectors: [
      'The fields that have vectors.',
      {
        type: 'Name of the type.',
        field: 'Name of the field.',
        model: 'Model that makes the vectors.',
        dimensions: 'How many numbers a vector has; null as long as there is no vector.',
        vectors: 'How many vectors there are.',
        unfit: 'Nodes whose value is no vector of this length: they are not found by it.',
      },
    ],
    texts: [
      'Pieces of text without a vector.',
      {
        waiting: 'How many wait for a vector.',
        refused: 'How many the provider does not take.',
      },
    ],
    embedder: [
      'What makes vectors of texts, since the server started; null on a replica.',
      {
        status:
          'What it does: `off` if there is no provider, `waiting` if that failed and is asked again at `retryAt`.',
        embedded: 'How many texts got a vector.',
        refused: 'How many texts the provider did not take.',
        lastError: 'What was wrong last, for people; null if nothing was.',
        retryAt: 'When the provider is asked again (ISO 8601, UTC); null if it does not wait.',
      },
    ],
  }),
  ...texts(search.synonymLists, {
    Synonyms: 'Other words that are searched too; a hit by one of them counts for less.',
    Alternates: 'Other ways to write the same; a hit by one of them counts as much.',
    Blocked: 'Words that the term never stands for, neither as a typo nor as a synonym.',
  }),
  ...texts(search.synonymRecord, {
    Token: 'The term that synonyms are for.',
    Language: 'Language of the term: ISO 639-1, or `--` for any.',
    Synonyms: 'Other words that are searched too; a hit by one of them counts for less.',
    Alternates: 'Other ways to write the same; a hit by one of them counts as much.',
    Blocked: 'Words that the term never stands for, neither as a typo nor as a synonym.',
    Suggestions: [
      'Words in what the caller may read that are written much the same, most similar first.',
      {
        term: 'The word as it is written.',
        similarity:
          'How similar it is written, from 0 to 1: 1 less the share of letters that differ.',
      },
    ],
  }),
  ...texts(search.synonymList, {
    Results:
      'Terms by name; with `includeSynonyms` pairs of a term and one of its synonyms or alternates.',
    TotalCount: 'How many results there are in all.',
  }),
  ...texts(search.synonymListQuery, {
    lang: 'Language of the terms: ISO 639-1, or `--` for any.',
    query: 'Part of a term to find, in any case; by default all are listed.',
    includeSynonyms: 'Whether to list pairs of a term and what goes with it ("1"); by default "0".',
  }),
  ...texts(search.synonymListHeaders, {
    'x-msk-skip': 'How many results to pass over.',
    'x-msk-limit': 'How many results to answer at most.',
  }),
  ...texts(search.synonymQuery, {
    token: 'The term that synonyms are for.',
    lang: 'Language of the term: ISO 639-1, or `--` for any.',
    tolerance: 'How similar a suggestion must be written, from 0.7 to 1.',
  }),
  ...texts(search.synonymChangeQuery, {
    token: 'The term; blanks around it do not count.',
    lang: 'Language of the term: ISO 639-1, or `--` for any.',
    ignoreCase:
      'Whether the term holds for the word in any case. If not, a term with capitals is for words that are written just so.',
    replace: 'Whether the lists replace those that there are; false adds to them.',
  }),
  ...texts(search.llmSearchSettings, {
    nodeTypes: 'Types that models may search; an empty list in a request stands for all.',
    filters: 'Fields by which models may narrow hits; an empty list in a request stands for all.',
    available: 'Fields to filter by, by the types that can be searched. Ignored in a request.',
  }),
  ...texts(embeddings.getSimilarNodes.params, { uid: 'UID of the node to compare with.' }),
  ...texts(embedding.embeddingsWanted, {
    UIDs: 'Nodes whose vectors to read, each by UID, `{uid}` or `{type, key}`.',
    field: 'Field whose vectors to read; by default all fields.',
  }),
  ...texts(embedding.nodeEmbedding, {
    UID: 'UID of the node.',
    field: 'Field that the vector is of.',
    model: 'Model that made the vector.',
    chunk: 'Number of the piece of text that the vector stands for, from 0.',
    vector: 'The vector, of length 1.',
  }),
  ...texts(embedding.similarQuery, {
    count: 'How many nodes to find at most.',
    types: 'Names of the types to find nodes of; by default all.',
  }),
  ...texts(embedding.similarNodes, {
    items: [
      'The nodes that were found, the most similar first.',
      {
        node: 'The node as the caller may see it.',
        score: 'How similar it is: the cosine of the vectors, from -1 to 1.',
      },
    ],
  }),
  ...texts(evaluation.goldenSetInPath, { name: 'Name of the golden set.' }),
  ...texts(evaluation.goldenSet, {
    name: 'Name of the golden set.',
    description: 'What the set is for, in free text.',
    request: 'What every search has beside its query, such as types, fields and filters.',
    queries: [
      'Queries with the nodes that they should find.',
      {
        query: 'The text to search.',
        relevant: [
          'Nodes that should be found: UIDs, or with a grade.',
          { uid: 'UID of the node.', grade: 'How relevant the node is; a UID alone has 1.' },
        ],
      },
    ],
    version: 'From 1, one more with every change of the queries, the request or the description.',
  }),
  ...texts(evaluation.goldenSetChange, {
    version:
      'Version that the caller has seen, 0 for a set that is not there yet; `version_conflict` if there is a newer one.',
  }),
  ...texts(evaluation.searchMetrics, {
    ndcg: 'Normalised discounted cumulated gain, from 0 to 1.',
    mrr: 'Mean reciprocal rank: of 1 / rank of the first relevant hit.',
    precision: 'Share of the hits that are relevant.',
    recall: 'Share of the relevant nodes that are hits.',
  }),
  ...texts(evaluation.searchEvaluationList, {
    items: [
      'The last runs, newest first.',
      {
        at: 'When the run began (ISO 8601, UTC).',
        sequence: 'Sequence of the workspace when the run began.',
        queries: 'How many queries have a relevant node that exists; others do not count.',
        metrics: 'Means over the queries, each over its first 10 hits.',
      },
    ],
  }),
  ...texts(evaluation.goldenSetList, {
    items: [
      'All golden sets, by name.',
      {
        queries: 'How many queries the set has.',
        lastRun: 'The last run; null before the first.',
      },
    ],
  }),
  ...texts(evaluation.searchEvaluationReport, {
    previous: 'The run before; null for the first one.',
    worse: [
      'Queries of both runs that have become worse, those that lost most first.',
      { total: FIRST_OF.total, items: [FIRST_OF.items, QUERY_CHANGE] },
    ],
    better: [
      'Queries of both runs that have become better, those that gained most first.',
      { total: FIRST_OF.total, items: [FIRST_OF.items, QUERY_CHANGE] },
    ],
    unfound: ['Queries without a relevant node among their hits.', FIRST_OF],
    missing: [
      'Relevant nodes that do not exist.',
      {
        total: FIRST_OF.total,
        items: [
          FIRST_OF.items,
          { query: 'The query that should find it.', uid: 'UID that there is no node of.' },
        ],
      },
    ],
  }),
];
