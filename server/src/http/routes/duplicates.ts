import { operations } from '@trellis/contract/operations/duplicates.ts';
import { MIN_SCORE_DEFAULT } from '#duplicates/rule-store.ts';
import { answer, routesOf } from '../route.ts';

export const duplicatesRoutes = routesOf(operations, {
  findDuplicates: ({ caller, body, address }, { duplicates }) =>
    answer(202, duplicates.find({ caller, address }, body)),
  listDuplicates: async ({ caller, query }, { duplicates }) =>
    answer(200, await duplicates.list(caller, query)),
  dismissDuplicate: async ({ caller, params, address }, { duplicates }) =>
    answer(200, await duplicates.dismiss({ caller, address }, params.id)),
  reopenDuplicate: async ({ caller, params, address }, { duplicates }) =>
    answer(200, await duplicates.reopen({ caller, address }, params.id)),
  mergeNodes: async ({ caller, body, address }, { merges }) =>
    answer(200, await merges.merge({ caller, address }, body)),
  listMerges: ({ caller, query }, { merges }) => answer(200, merges.merges(caller, query)),
  splitNodes: async ({ caller, params, address }, { merges }) =>
    answer(200, await merges.split({ caller, address }, params.id)),
  listDuplicateRules: ({ caller }, { duplicates }) => answer(200, duplicates.rules(caller)),
  putDuplicateRule: async ({ caller, params, body, address }, { duplicates }) => {
    const { fields = null, minScore = MIN_SCORE_DEFAULT, mergeAbove = null } = body;
    const rule = { type: params.type, fields, minScore, mergeAbove };
    return answer(200, await duplicates.putRule({ caller, address }, rule));
  },
  deleteDuplicateRule: async ({ caller, params, address }, { duplicates }) => {
    await duplicates.deleteRule({ caller, address }, params.type);
    return answer(204);
  },
});
