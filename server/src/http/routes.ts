import { assistantRoutes } from './assistant-routes.ts';
import { automationRoutes } from './automation-routes.ts';
import type { Route } from './route.ts';
import { cancelRun } from './routes/endpoints/cancelRun.ts';
import { cancelRunAlias } from './routes/endpoints/cancelRunAlias.ts';
import { cancelRunWithToken } from './routes/endpoints/cancelRunWithToken.ts';
import { checkEndpoint } from './routes/endpoints/checkEndpoint.ts';
import { createEndpoint } from './routes/endpoints/createEndpoint.ts';
import { deleteEndpoint } from './routes/endpoints/deleteEndpoint.ts';
import { getEndpoint } from './routes/endpoints/getEndpoint.ts';
import { listEndpoints } from './routes/endpoints/listEndpoints.ts';
import { putEndpoint } from './routes/endpoints/putEndpoint.ts';
import { runEndpoint } from './routes/endpoints/runEndpoint.ts';
import { runEndpointAlias } from './routes/endpoints/runEndpointAlias.ts';
import { runEndpointWithToken } from './routes/endpoints/runEndpointWithToken.ts';
import { getCompileStatus } from './routes/build/getCompileStatus.ts';
import { getBuildCatalog } from './routes/build/getBuildCatalog.ts';
import { getBuildTypes } from './routes/build/getBuildTypes.ts';
import { listCodeHistory } from './routes/code-history/listCodeHistory.ts';
import { listItemHistory } from './routes/code-history/listItemHistory.ts';
import { getCodeVersion } from './routes/code-history/getCodeVersion.ts';
import { diffCode } from './routes/code-history/diffCode.ts';
import { restoreCode } from './routes/code-history/restoreCode.ts';
import { compareCode } from './routes/code-history/compareCode.ts';
import { listRecordedInputs } from './routes/code-history/listRecordedInputs.ts';
import { recordInputs } from './routes/code-history/recordInputs.ts';
import { getEndpointMetrics } from './routes/stats/getEndpointMetrics.ts';
import { listEndpointLogs } from './routes/stats/listEndpointLogs.ts';
import { watchEndpointLogs } from './routes/stats/watchEndpointLogs.ts';
import { getDatabaseStatistics } from './routes/stats/getDatabaseStatistics.ts';
import { getPoolStatistics } from './routes/stats/getPoolStatistics.ts';
import { getOverviewStatistics } from './routes/stats/getOverviewStatistics.ts';
import { getLicense } from './routes/stats/getLicense.ts';
import { listLogFiles } from './routes/stats/listLogFiles.ts';
import { downloadLogs } from './routes/stats/downloadLogs.ts';
import { searchLogs } from './routes/stats/searchLogs.ts';
import { watchLogs } from './routes/stats/watchLogs.ts';
import { deleteBackup } from './routes/backups/deleteBackup.ts';
import { listBackups } from './routes/backups/listBackups.ts';
import { runBackup } from './routes/backups/runBackup.ts';
import { verifyBackup } from './routes/backups/verifyBackup.ts';
import { listJobs } from './routes/jobs/listJobs.ts';
import { getJob } from './routes/jobs/getJob.ts';
import { cancelJob } from './routes/jobs/cancelJob.ts';
import { watchJob } from './routes/jobs/watchJob.ts';
import { listNodeFiles } from './routes/files/listNodeFiles.ts';
import { uploadNodeFile } from './routes/files/uploadNodeFile.ts';
import { getFile } from './routes/files/getFile.ts';
import { downloadFile } from './routes/files/downloadFile.ts';
import { deleteFile } from './routes/files/deleteFile.ts';
import { createFileUpload } from './routes/files/createFileUpload.ts';
import { getFileUpload } from './routes/files/getFileUpload.ts';
import { appendFileUpload } from './routes/files/appendFileUpload.ts';
import { deleteFileUpload } from './routes/files/deleteFileUpload.ts';
import { ingest } from './routes/ingest/ingest.ts';
import { changePassword } from './routes/login/changePassword.ts';
import { checkLogin } from './routes/login/checkLogin.ts';
import { createLogin } from './routes/login/createLogin.ts';
import { completePasswordReset } from './routes/login/completePasswordReset.ts';
import { endSession } from './routes/login/endSession.ts';
import { resetPassword } from './routes/login/resetPassword.ts';
import { downloadCsv } from './routes/nodes/downloadCsv.ts';
import { downloadJsonl } from './routes/nodes/downloadJsonl.ts';
import { downloadSyntheticCsv } from './routes/nodes/downloadSyntheticCsv.ts';
import { downloadSyntheticJsonl } from './routes/nodes/downloadSyntheticJsonl.ts';
import { downloadZip } from './routes/nodes/downloadZip.ts';
import { getManyFields } from './routes/nodes/getManyFields.ts';
import { getManyNodes } from './routes/nodes/getManyNodes.ts';
import { getNode } from './routes/nodes/getNode.ts';
import { getNodeHistory } from './routes/nodes/getNodeHistory.ts';
import { queryNodes } from './routes/nodes/queryNodes.ts';
import { getSchema } from './routes/schema/getSchema.ts';
import { putSchema } from './routes/schema/putSchema.ts';
import { findSimilarNodes } from './routes/search/findSimilarNodes.ts';
import { getEmbeddings } from './routes/search/getEmbeddings.ts';
import { getSimilarNodes } from './routes/search/getSimilarNodes.ts';
import { getLlmSearchSettings } from './routes/search/getLlmSearchSettings.ts';
import { putLlmSearchSettings } from './routes/search/putLlmSearchSettings.ts';
import { getSearchSettings } from './routes/search/getSearchSettings.ts';
import { putSearchSettings } from './routes/search/putSearchSettings.ts';
import { getSearchIndex } from './routes/stats/getSearchIndex.ts';
import { listSynonyms } from './routes/search/listSynonyms.ts';
import { getSynonyms } from './routes/search/getSynonyms.ts';
import { putSynonyms } from './routes/search/putSynonyms.ts';
import { listGoldenSets } from './routes/search/listGoldenSets.ts';
import { getGoldenSet } from './routes/search/getGoldenSet.ts';
import { putGoldenSet } from './routes/search/putGoldenSet.ts';
import { deleteGoldenSet } from './routes/search/deleteGoldenSet.ts';
import { runGoldenSet } from './routes/search/runGoldenSet.ts';
import { listGoldenSetRuns } from './routes/search/listGoldenSetRuns.ts';
import { completeLogin } from './routes/sso/completeLogin.ts';
import { consumeSamlResponse } from './routes/sso/consumeSamlResponse.ts';
import { createSamlRequest } from './routes/sso/createSamlRequest.ts';
import { exchangeLogin } from './routes/sso/exchangeLogin.ts';
import { getLoginUrl } from './routes/sso/getLoginUrl.ts';
import { getSamlConfig } from './routes/sso/getSamlConfig.ts';
import { getSamlMetadata } from './routes/sso/getSamlMetadata.ts';
import { getSsoConfig } from './routes/sso/getSsoConfig.ts';
import { listLoginProviders } from './routes/sso/listLoginProviders.ts';
import { setSamlConfig } from './routes/sso/setSamlConfig.ts';
import { setSsoConfig } from './routes/sso/setSsoConfig.ts';
import { getAvailableStatus } from './routes/status/getAvailableStatus.ts';
import { getHealth } from './routes/status/getHealth.ts';
import { getReady } from './routes/status/getReady.ts';
import { getReplicaHealth } from './routes/status/getReplicaHealth.ts';
import { getReplicaRole } from './routes/replicas/getReplicaRole.ts';
import { listReplicas } from './routes/replicas/listReplicas.ts';
import { verifyReplicas } from './routes/replicas/verifyReplicas.ts';
import { registerReplica } from './routes/replicas/registerReplica.ts';
import { createToken } from './routes/tokens/createToken.ts';
import { listTokens } from './routes/tokens/listTokens.ts';
import { revokeToken } from './routes/tokens/revokeToken.ts';
import { explainAccess } from './routes/access/explainAccess.ts';
import { getNodeAccess } from './routes/access/getNodeAccess.ts';
import { getTypeAccess } from './routes/access/getTypeAccess.ts';
import { putNodeAccess } from './routes/access/putNodeAccess.ts';
import { putTypeAccess } from './routes/access/putTypeAccess.ts';
import { resolvePrincipals } from './routes/access/resolvePrincipals.ts';
import { listAudit } from './routes/audit/listAudit.ts';
import { createGroup } from './routes/groups/createGroup.ts';
import { deleteGroup } from './routes/groups/deleteGroup.ts';
import { getGroup } from './routes/groups/getGroup.ts';
import { listGroupUsers } from './routes/groups/listGroupUsers.ts';
import { listGroups } from './routes/groups/listGroups.ts';
import { setGroupUsers } from './routes/groups/setGroupUsers.ts';
import { updateGroup } from './routes/groups/updateGroup.ts';
import { createPasswordResetLink } from './routes/users/createPasswordResetLink.ts';
import { createUser } from './routes/users/createUser.ts';
import { deactivateUser } from './routes/users/deactivateUser.ts';
import { getUser } from './routes/users/getUser.ts';
import { listUsers } from './routes/users/listUsers.ts';
import { updateUser } from './routes/users/updateUser.ts';
import { getApiDocument } from './routes/workspace/getApiDocument.ts';
import { deleteInterface } from './routes/workspace/deleteInterface.ts';
import { exportDefinitions } from './routes/workspace/exportDefinitions.ts';
import { getWorkspaceSettings } from './routes/workspace/getWorkspaceSettings.ts';
import { importDefinitions } from './routes/workspace/importDefinitions.ts';
import { listInterfaces } from './routes/workspace/listInterfaces.ts';
import { putInterface } from './routes/workspace/putInterface.ts';
import { putWorkspaceSettings } from './routes/workspace/putWorkspaceSettings.ts';

/** The route of every operation of the contract, in its order; a test compares the two. */
export const routes: readonly Route[] = [
  createLogin,
  checkLogin,
  changePassword,
  resetPassword,
  completePasswordReset,
  endSession,
  listUsers,
  createUser,
  getUser,
  updateUser,
  deactivateUser,
  createPasswordResetLink,
  listGroups,
  createGroup,
  getGroup,
  updateGroup,
  deleteGroup,
  setGroupUsers,
  listGroupUsers,
  listAudit,
  getTypeAccess,
  putTypeAccess,
  explainAccess,
  getNodeAccess,
  putNodeAccess,
  resolvePrincipals,
  getWorkspaceSettings,
  putWorkspaceSettings,
  listInterfaces,
  putInterface,
  deleteInterface,
  getApiDocument,
  exportDefinitions,
  importDefinitions,
  listTokens,
  createToken,
  revokeToken,
  getSchema,
  putSchema,
  ingest,
  getNode,
  getNodeHistory,
  queryNodes,
  getManyNodes,
  getManyFields,
  downloadCsv,
  downloadJsonl,
  downloadZip,
  downloadSyntheticCsv,
  downloadSyntheticJsonl,
  listNodeFiles,
  uploadNodeFile,
  getFile,
  downloadFile,
  deleteFile,
  createFileUpload,
  getFileUpload,
  appendFileUpload,
  deleteFileUpload,
  createEndpoint,
  listEndpoints,
  getEndpoint,
  putEndpoint,
  deleteEndpoint,
  checkEndpoint,
  runEndpoint,
  runEndpointAlias,
  runEndpointWithToken,
  cancelRun,
  cancelRunAlias,
  cancelRunWithToken,
  getCompileStatus,
  getBuildCatalog,
  getBuildTypes,
  listCodeHistory,
  listItemHistory,
  getCodeVersion,
  diffCode,
  restoreCode,
  compareCode,
  listRecordedInputs,
  recordInputs,
  listEndpointLogs,
  watchEndpointLogs,
  getEndpointMetrics,
  getDatabaseStatistics,
  getPoolStatistics,
  getOverviewStatistics,
  getLicense,
  listJobs,
  getJob,
  cancelJob,
  watchJob,
  runBackup,
  listBackups,
  verifyBackup,
  deleteBackup,
  ...automationRoutes,
  listLogFiles,
  downloadLogs,
  searchLogs,
  watchLogs,
  listGoldenSets,
  getGoldenSet,
  putGoldenSet,
  deleteGoldenSet,
  runGoldenSet,
  listGoldenSetRuns,
  getSearchSettings,
  putSearchSettings,
  getLlmSearchSettings,
  putLlmSearchSettings,
  getSearchIndex,
  listSynonyms,
  getSynonyms,
  putSynonyms,
  getEmbeddings,
  getSimilarNodes,
  findSimilarNodes,
  ...assistantRoutes,
  getSsoConfig,
  setSsoConfig,
  getLoginUrl,
  completeLogin,
  getSamlConfig,
  setSamlConfig,
  createSamlRequest,
  consumeSamlResponse,
  getSamlMetadata,
  listLoginProviders,
  exchangeLogin,
  getReady,
  getAvailableStatus,
  getHealth,
  getReplicaHealth,
  getReplicaRole,
  listReplicas,
  verifyReplicas,
  registerReplica,
];
