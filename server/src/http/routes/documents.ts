import { operations } from '@trellis/contract/operations/documents.ts';
import { answer, routesOf } from '../route.ts';

export const documentsRoutes = routesOf(operations, {
  startExtraction: async ({ caller, body, address }, { documents }) =>
    answer(202, await documents.start({ caller, address }, body)),
  listExtractions: ({ caller, query }, { documents }) =>
    answer(200, documents.views.list(caller, query)),
  getExtraction: async ({ caller, params }, { documents }) =>
    answer(200, await documents.views.get(caller, params.id)),
  resumeExtraction: async ({ caller, params, body, address }, { documents }) =>
    answer(202, await documents.resume({ caller, address }, params.id, body ?? {})),
  deleteExtraction: async ({ caller, params, address }, { documents }) => {
    await documents.delete({ caller, address }, params.id);
    return answer(204);
  },
  listProposals: async ({ caller, params, query }, { documents }) =>
    answer(200, await documents.views.proposals(caller, params.id, query)),
  approveProposals: async ({ caller, params, body, address }, { documents }) =>
    answer(200, await documents.approve({ caller, address }, params.id, body ?? {})),
  rejectProposals: async ({ caller, params, body, address }, { documents }) =>
    answer(200, await documents.reject({ caller, address }, params.id, body ?? {})),
  changeProposal: async ({ caller, params, body, address }, { documents }) =>
    answer(200, await documents.change({ caller, address }, params.id, body)),
  getProposalText: ({ caller, params }, { documents }) =>
    answer(200, documents.views.text(caller, params.id)),
});
