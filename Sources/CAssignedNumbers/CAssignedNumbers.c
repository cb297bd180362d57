#include "CAssignedNumbers.h"

static const char companies[] = {
#embed "companies.tsv"
};
static const char uuids16[] = {
#embed "uuids16.tsv"
};
static const char appearances[] = {
#embed "appearances.tsv"
};

AssignedNumberTable assignedCompanies(void) { return (AssignedNumberTable){companies, sizeof companies}; }
AssignedNumberTable assignedUUIDs16(void) { return (AssignedNumberTable){uuids16, sizeof uuids16}; }
AssignedNumberTable assignedAppearances(void) { return (AssignedNumberTable){appearances, sizeof appearances}; }
