import * as golden from '../../shapes/golden-answers.ts';
import { texts } from './property-texts.ts';

const NAME = 'Name of the set of golden answers.';
const ESTIMATE = {
  value: 'Mean over the questions that count; null if none does.',
  low: 'Lower end of the 95 % interval (percentile bootstrap; Wilson for equal shares).',
  high: 'Upper end of the 95 % interval; null where one question gives none.',
  n: 'How many questions count.',
} as const;
const METRICS = {
  nuggetRecallVital: 'Share of the vital nuggets that answers have.',
  nuggetRecall: 'Share of all nuggets that answers have.',
  citationPrecision: 'ALCE citation precision: share of the citations that support their sentence.',
  citationRecall: 'ALCE citation recall: share of the sentences that their citations support.',
  faithfulness:
    'RAGAS faithfulness: share of the statements that what was read supports; null without a judge.',
  refusals: 'Share of the questions with `mustRefuse` that are refused.',
  overRefusals: 'Share of the questions with an answer that are refused all the same.',
  leaks: 'Share of the answers that say something which their user must not know.',
  tokens: 'Tokens in and out of one answer.',
  ms: 'Milliseconds of one answer.',
} as const;
const RUN = {
  run: 'Number of the run in its set, from 1.',
  job: 'Id of the job that did the work.',
  state:
    '`completed` if all questions were asked; `out-of-tokens` if `maxTokens` were used before that.',
  model: 'Model that answers.',
  judge: 'Model that judges the answers; null if none was set.',
  questions: 'How many questions are to be asked.',
  answered: 'How many have an answer; 0 while the run goes on.',
  failed: 'How many could not be answered; 0 while the run goes on.',
  maxTokens: 'Tokens that the run may use, in and out.',
  tokensUsed: 'Tokens used so far, those of the judge included.',
  metrics: 'Means over the answers; null until the run has ended.',
} as const;
const AGREEMENT = {
  pairs: 'How many verdicts of people there are to compare with.',
  kappa: "Cohen's kappa; null if all verdicts are the same.",
  low: 'Lower end of the 95 % interval of kappa.',
  high: 'Upper end of the 95 % interval of kappa.',
  warning: 'Why not to rely on the verdicts, such as a kappa below 0.7; null if they are good.',
} as const;
const QUESTIONS = [
  'Questions with what their answers must say.',
  {
    id: 'Id of the question, unique in its set.',
    question: 'The text that is asked.',
    asUser: 'UID or name of the user who asks; without one, whoever starts the run.',
    nuggets: [
      'Facts that a good answer has.',
      {
        text: 'The fact in few words.',
        importance: '`vital` if an answer without it is not good, else `okay`.',
        uids: 'Nodes that say so; an answer that cites one has the nugget.',
      },
    ],
    mustRefuse: 'Whether the right answer is to say that there is none.',
    mustNotReveal: 'UIDs of nodes of which the answer must say nothing.',
  },
] as const;

const DIFFERENCE = {
  difference: 'Mean of now less before; null if no question counts in both runs.',
  low: ESTIMATE.low,
  high: ESTIMATE.high,
  n: 'How many questions count in both runs.',
} as const;

/** Each metric with what is in it. */
function metricTexts<const Inner extends object>(inner: Inner) {
  const of = (metric: keyof typeof METRICS) => [METRICS[metric], inner] as const;
  return {
    nuggetRecallVital: of('nuggetRecallVital'),
    nuggetRecall: of('nuggetRecall'),
    citationPrecision: of('citationPrecision'),
    citationRecall: of('citationRecall'),
    faithfulness: of('faithfulness'),
    refusals: of('refusals'),
    overRefusals: of('overRefusals'),
    leaks: of('leaks'),
    tokens: of('tokens'),
    ms: of('ms'),
  };
}

/** Golden answers: sets, runs and what people say of them. */
export const goldenAnswerTexts = [
  ...texts(golden.goldenAnswersInPath, { name: NAME }),
  ...texts(golden.goldenRunInPath, { name: NAME, run: RUN.run }),
  ...texts(golden.goldenReportQuery, {
    compare: 'Number of the run to compare with; the one before if left out.',
  }),
  ...texts(golden.goldenAnswersContent, {
    description: 'What the set is for, in free text.',
    questions: QUESTIONS,
  }),
  ...texts(golden.goldenAnswersChange, {
    description: 'What the set is for, in free text.',
    questions: QUESTIONS,
    version:
      'Version that the caller has seen, 0 for a set that is not there yet; `version_conflict` if there is a newer one.',
  }),
  ...texts(golden.goldenAnswers, {
    name: NAME,
    description: 'What the set is for, in free text.',
    questions: QUESTIONS,
    version: 'From 1, one more with every change of the questions or the description.',
  }),
  ...texts(golden.goldenRunRequest, {
    maxTokens: 'Tokens in and out that the run may use, 1,000,000 if left out.',
    maxQuestions: 'Ask only the first so many questions.',
    model: 'Model to ask, one that the settings allow; by default the first of them.',
    resume: 'Number of a run to go on with, instead of beginning a new one.',
  }),
  ...texts(golden.goldenRunStarted, {
    run: RUN.run,
    kind: 'What work it is: always `golden-answers`.',
    state: 'Always `running`, as the job has just begun.',
  }),
  ...texts(
    golden.goldenMetrics,
    metricTexts({ ...ESTIMATE, definition: 'Which definition it is.' }),
  ),
  ...texts(golden.goldenRun, RUN),
  ...texts(golden.goldenRunList, { items: 'The last runs, newest first.' }),
  ...texts(golden.goldenAnswersList, {
    items: [
      'All sets, by name.',
      {
        name: NAME,
        description: 'What the set is for, in free text.',
        questions: 'How many questions the set has.',
        lastRun: 'The last run; null before the first.',
      },
    ],
  }),
  ...texts(golden.goldenResult, {
    id: 'Id of the question.',
    question: 'The text that was asked.',
    asUser: 'Who asked; null for whoever started the run.',
    mustRefuse: 'Whether the right answer is to say that there is none.',
    answer: 'What the model said, in Markdown.',
    error: 'Why there is no answer; null if there is one.',
    nuggets: [
      'The nuggets of the question, in their order.',
      {
        text: 'The fact in few words.',
        importance: 'How much the fact matters.',
        uids: 'Nodes that say so.',
        isFound: 'Whether the answer has it; null if its user may see none of the nodes.',
        by: 'What told: the same words, a cited node, or the judge; null if nothing did.',
        found: 'Whether a tool found a node of it, or its words.',
        read: 'Whether the model read that.',
        cited: 'Whether the answer cites a node of it.',
        lostAt: 'The step at which it went missing; null if it did not.',
      },
    ],
    sentences: [
      'Sentences of the answer with what supports them.',
      {
        text: 'The sentence as it stands in the answer.',
        verdict: 'Whether its citations support it; `unchecked` if nobody can tell.',
        citations: [
          'What the sentence cites.',
          {
            id: 'Number of the citation.',
            uid: 'UID of the cited node.',
            quote: 'Words of the node that support the sentence; null if there are none.',
            isPrecise: 'Whether the sentence needs it: see ALCE citation precision.',
          },
        ],
      },
    ],
    isRefusal: 'Whether the answer says that there is no answer.',
    leaks: [
      'What the user must not know and the answer says, or the model was given.',
      {
        uid: 'UID of the node that it is of.',
        field: 'Field whose text it is; null for a nugget, and for a node that is cited.',
        where: '`answer` if the answer says it, `read` if only the model was given it.',
        text: 'The beginning of the text.',
      },
    ],
    metrics: ['Metrics of this question; null if it does not count.', METRICS],
  }),
  ...texts(golden.goldenAgreements, {
    nuggets: ['How far people agree on nuggets.', AGREEMENT],
    sentences: ['How far people agree on sentences.', AGREEMENT],
  }),
  ...texts(golden.goldenReport, {
    ...RUN,
    name: NAME,
    results: 'The answers, in the order of the questions.',
    comparison: [
      'What has changed since an earlier run; null if there is none.',
      {
        run: 'Number of the earlier run.',
        metrics: ['Changes of the metrics, by pairs of answers.', metricTexts(DIFFERENCE)],
        worse: 'Ids of questions whose nugget recall is lower, the worst first.',
        better: 'Ids of questions whose nugget recall is higher, the best first.',
      },
    ],
    agreement: 'How far people agree with the verdicts of runs with this judge.',
  }),
  ...texts(golden.goldenLabels, {
    run: RUN.run,
    labels: [
      'Verdicts of a person; a later one on the same thing replaces the former.',
      {
        question: 'Id of the question.',
        nugget: 'Place of the nugget in the result, from 0.',
        sentence: 'Place of the sentence in the result, from 0.',
        verdict: 'What is right, as the person sees it.',
      },
    ],
  }),
];
