/**
 * The roles of users who are no administrators; an administrator holds all of them (open-shapes,
 * section 3).
 */
export const ROLES = ['CanManageSynonyms', 'CanManageUsers', 'CanManageTeams'] as const;
export type Role = (typeof ROLES)[number];
