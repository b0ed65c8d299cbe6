import { JSON_BODY_BYTES_MAX } from '../limits.ts';
import { CHANGE_ERRORS, type Rows, withIds } from '../operation.ts';
import {
  goldenAgreements,
  goldenAnswers,
  goldenAnswersChange,
  goldenAnswersInPath,
  goldenAnswersList,
  goldenLabels,
  goldenReport,
  goldenReportQuery,
  goldenRunInPath,
  goldenRunList,
  goldenRunRequest,
  goldenRunStarted,
} from '../shapes/golden-answers.ts';

const reads = { area: 'assistant', auth: 'admin', onReplica: 'serve' } as const;
const writes = { area: 'assistant', auth: 'admin-write', onReplica: 'redirect' } as const;

export const operations = withIds({
  listGoldenAnswers: {
    ...reads,
    sdk: 'goldenAnswers.list',
    method: 'GET',
    path: '/api/chatai/golden-sets',
    responses: {
      200: { description: 'All, by name, without their questions.', body: goldenAnswersList },
    },
    errors: [],
    summary: 'List the sets of golden answers: questions with what their answers must say.',
  },

  getGoldenAnswers: {
    ...reads,
    sdk: 'goldenAnswers.get',
    method: 'GET',
    path: '/api/chatai/golden-sets/{name}',
    params: goldenAnswersInPath,
    responses: { 200: { description: 'The set, with its questions.', body: goldenAnswers } },
    errors: ['golden_answers_not_found'],
    summary: 'Read a set of golden answers.',
  },

  putGoldenAnswers: {
    ...writes,
    sdk: 'goldenAnswers.put',
    method: 'PUT',
    path: '/api/chatai/golden-sets/{name}',
    params: goldenAnswersInPath,
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: goldenAnswersChange,
    responses: { 200: { description: 'The set as it is now.', body: goldenAnswers } },
    errors: [...CHANGE_ERRORS],
    summary: 'Make a set of golden answers, or replace its questions; its runs stay.',
  },

  deleteGoldenAnswers: {
    ...writes,
    sdk: 'goldenAnswers.delete',
    method: 'DELETE',
    path: '/api/chatai/golden-sets/{name}',
    params: goldenAnswersInPath,
    responses: { 204: { description: 'It is gone, with its runs.' } },
    errors: ['golden_answers_not_found', 'golden_run_running', ...CHANGE_ERRORS],
    summary: 'Delete a set of golden answers.',
  },

  runGoldenAnswers: {
    ...writes,
    sdk: 'goldenAnswers.run',
    method: 'POST',
    path: '/api/chatai/golden-sets/{name}/run',
    params: goldenAnswersInPath,
    body: goldenRunRequest.optional(),
    responses: {
      202: { description: 'The job, and the number of the run.', body: goldenRunStarted },
    },
    errors: [
      'golden_answers_not_found',
      'golden_run_not_found',
      'golden_run_running',
      'golden_run_not_resumable',
      'llm_not_configured',
      'model_not_found',
      ...CHANGE_ERRORS,
    ],
    summary: 'Ask the questions of a set as their users, and measure the answers.',
  },

  listGoldenAnswerRuns: {
    ...reads,
    sdk: 'goldenAnswers.listRuns',
    method: 'GET',
    path: '/api/chatai/golden-sets/{name}/runs',
    params: goldenAnswersInPath,
    responses: { 200: { description: 'Newest first.', body: goldenRunList } },
    errors: ['golden_answers_not_found'],
    summary: 'List the last runs of a set of golden answers.',
  },

  getGoldenAnswerRun: {
    ...reads,
    sdk: 'goldenAnswers.getRun',
    method: 'GET',
    path: '/api/chatai/golden-sets/{name}/runs/{run}',
    params: goldenRunInPath,
    query: goldenReportQuery,
    responses: {
      200: {
        description: 'The answers, what they lack and why, and how they have changed.',
        body: goldenReport,
      },
    },
    errors: ['golden_answers_not_found', 'golden_run_not_found'],
    summary: 'Read a run with its answers, compared with an earlier one.',
  },

  labelGoldenAnswers: {
    ...writes,
    sdk: 'goldenAnswers.label',
    method: 'POST',
    path: '/api/chatai/golden-sets/{name}/label',
    params: goldenAnswersInPath,
    body: goldenLabels,
    responses: {
      200: { description: 'How far people and the report agree.', body: goldenAgreements },
    },
    errors: [
      'golden_answers_not_found',
      'golden_run_not_found',
      'golden_run_running',
      ...CHANGE_ERRORS,
    ],
    summary: 'Say of nuggets and sentences of a run what is right.',
  },
} as const satisfies Rows);
